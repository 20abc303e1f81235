package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;

/** A function of two elements with NumPy's broadcasting: by kernel in float, by table in bytes. */
record BinaryKind(BinaryOp op) implements Kind {
    private static final int ACTIVATION = 2;

    @Override
    public String refusal(Site site) {
        return Site.first(site.typeProblem(0), site.typeProblem(1), site.variableProblem(ACTIVATION));
    }

    @Override
    public Images images(Site site) {
        boolean alike = Arrays.equals(site.in(0).dimensions(), site.in(1).dimensions()) && op != BinaryOp.DIV;
        return alike ? Images.ALIKE : Images.AS_DECLARED;
    }

    @Override
    public Step compile(Site site, Places places) {
        int a = places.offset(site.operation().input(0));
        int b = places.offset(site.operation().input(1));
        int out = places.offset(site.operation().output(0));
        int size = places.size(site.operation().output(0));
        byte[] table = site.isFloat() ? null : ReferenceTable.binary(site);
        Clamp clamp = site.inputs() > ACTIVATION ? Site.clamp(site.intValue(ACTIVATION)) : Clamp.NONE;
        if (Arrays.equals(site.in(0).dimensions(), site.in(1).dimensions())) {
            return Step.elementwise(size, memory -> (from, count) -> {
                if (table == null) {
                    ElementwiseOps.binary(op, memory.floats(), a + from, memory.floats(), b + from, memory.floats(), out + from, count, clamp);
                } else {
                    lookUp(memory.bytes(), a + from, 1, b + from, 1, out + from, count, table);
                }
            });
        }
        int[] dims = site.out().dimensions();
        int[] stepsA = steps(site.in(0).dimensions(), dims);
        int[] stepsB = steps(site.in(1).dimensions(), dims);
        int inner = dims[dims.length - 1];
        int stepA = stepsA[dims.length - 1];
        int stepB = stepsB[dims.length - 1];
        return new Step(size / inner, memory -> (begin, end) -> {
            for (int row = begin; row < end; row++) {
                int atA = a + at(row, dims, stepsA);
                int atB = b + at(row, dims, stepsB);
                int to = out + row * inner;
                if (table != null) {
                    lookUp(memory.bytes(), atA, stepA, atB, stepB, to, inner, table);
                } else {
                    apply(memory.floats(), atA, stepA, atB, stepB, to, inner, clamp);
                }
            }
        });
    }

    private void apply(float[] values, int a, int stepA, int b, int stepB, int out, int count, Clamp clamp) {
        if (stepA == 1 && stepB == 1) {
            ElementwiseOps.binary(op, values, a, values, b, values, out, count, clamp);
        } else if (stepA == 1) {
            ElementwiseOps.binary(op, values, a, values[b], values, out, count, clamp);
        } else {
            for (int i = 0; i < count; i++) {
                values[out + i] = clamp.apply(op.apply(values[a + i * stepA], values[b + i * stepB]));
            }
        }
    }

    private static void lookUp(byte[] values, int a, int stepA, int b, int stepB, int out, int count, byte[] table) {
        for (int i = 0; i < count; i++) {
            values[out + i] = table[(values[a + i * stepA] & 0xff) << 8 | values[b + i * stepB] & 0xff];
        }
    }

    /** Elements between neighbours along each axis of the output; 0 where the input repeats. */
    private static int[] steps(int[] dims, int[] out) {
        int[] steps = new int[out.length];
        int step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            steps[out.length - dims.length + i] = dims[i] == 1 ? 0 : step;
            step *= dims[i];
        }
        return steps;
    }

    /** Where the input's row for that row of the output begins. */
    private static int at(int row, int[] dims, int[] steps) {
        int at = 0;
        int rest = row;
        for (int i = dims.length - 2; i >= 0; i--) {
            at += rest % dims[i] * steps[i];
            rest /= dims[i];
        }
        return at;
    }
}
