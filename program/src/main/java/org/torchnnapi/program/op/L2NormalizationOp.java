package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Rows along an axis divided by their Euclidean norm, which is found in double; rows of zeros stay. Of floats, or of
 * bytes, whose results are rounded halves to even.
 *
 * @param axis negative counts from the back
 * @param output what the result's bytes stand for; null of floats
 */
public record L2NormalizationOp(int axis, ByteQuantization output) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        Require.axis(axis, in.rank());
        return output == null
                ? Require.floats("input", in)
                : ValueType.bytes(output, Require.bytes("input", in).shape());
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Step compile(Operands operands) {
        ValueType type = operands.in(0).type();
        ReducedAxes extents = ReducedAxes.of(type, new int[] {axis});
        if (output == null) {
            return OneInput.floats(operands, extents.runs(), (in, from, out, to, begin, end) -> {
                for (int run = begin; run < end; run++) {
                    int first = extents.first(run);
                    normalize(in, from + first, out, to + first, extents.reduced(), extents.inner());
                }
            });
        }
        float[] values = ByteValues.of(type);
        return OneInput.bytes(operands, extents.runs(), (in, from, out, to, begin, end) -> {
            for (int run = begin; run < end; run++) {
                int first = extents.first(run);
                normalize(values, in, from + first, out, to + first, extents.reduced(), extents.inner());
            }
        });
    }

    private static void normalize(float[] in, int from, float[] out, int to, int size, int step) {
        double squares = step == 1 ? squares(in, from, size) : squares(in, from, size, step);
        float factor = squares == 0 ? 0 : (float) (1 / Math.sqrt(squares));
        if (step == 1) {
            for (int i = 0; i < size; i++) {
                out[to + i] = in[from + i] * factor;
            }
        } else {
            for (int i = 0; i < size; i++) {
                out[to + i * step] = in[from + i * step] * factor;
            }
        }
    }

    /** In four sums, so that none waits for the one before. */
    private static double squares(float[] in, int from, int size) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i <= size - 4; i += 4) {
            a += (double) in[from + i] * in[from + i];
            b += (double) in[from + i + 1] * in[from + i + 1];
            c += (double) in[from + i + 2] * in[from + i + 2];
            d += (double) in[from + i + 3] * in[from + i + 3];
        }
        for (; i < size; i++) {
            a += (double) in[from + i] * in[from + i];
        }
        return a + b + (c + d);
    }

    private static double squares(float[] in, int from, int size, int step) {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            double element = in[from + i * step];
            sum += element * element;
        }
        return sum;
    }

    private void normalize(float[] values, byte[] in, int from, byte[] out, int to, int size, int step) {
        double squares = 0;
        for (int i = 0; i < size; i++) {
            double element = values[in[from + i * step] & 0xff];
            squares += element * element;
        }
        double norm = Math.sqrt(squares);
        int least = output.element().min() - output.zeroPoint();
        int most = output.element().max() - output.zeroPoint();
        for (int i = 0; i < size; i++) {
            float quotient = norm == 0 ? 0 : (float) (values[in[from + i * step] & 0xff] / norm);
            int steps = (int) Math.rint((double) quotient / output.scale());
            out[to + i * step] = (byte) (Math.max(least, Math.min(most, steps)) + output.zeroPoint());
        }
    }

    @Override
    public String label() {
        return "l2 normalization";
    }
}
