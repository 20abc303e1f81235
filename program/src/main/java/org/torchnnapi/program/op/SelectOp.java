package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Elements of the second value where the first, of flags, is true, else of the third; shapes are broadcast as NumPy
 * does.
 */
public record SelectOp() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        Require.element("condition", inputs.get(0), Element.BOOL8);
        ValueType a = inputs.get(1);
        Require.sameElements("third", inputs.get(2), a);
        ValueType both = a.withShape(Broadcasting.shape(a, inputs.get(2)));
        return a.withShape(Broadcasting.shape(inputs.get(0), both));
    }

    @Override
    public Op expanded(int rank, int axis) {
        return this;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input > 0
                && Arrays.equals(
                        operands.in(input).type().shape(), operands.out().type().shape());
    }

    /** Elements of one row; a step is 1, or 0 where the input repeats. */
    private interface Row {
        void run(int flag, int flagStep, int yes, int yesStep, int no, int noStep, int out, int count);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue condition = operands.in(0);
        PlacedValue a = operands.in(1);
        PlacedValue b = operands.in(2);
        PlacedValue out = operands.out();
        int[] shape = out.type().shape();
        boolean alike = true;
        for (ValueType type : operands.types()) {
            alike &= Arrays.equals(type.shape(), shape);
        }
        if (alike) {
            return Step.elementwise(out.size(), memory -> {
                Row row = row(operands, memory);
                return (at, count) -> row.run(
                        condition.at(memory) + at,
                        1,
                        a.at(memory) + at,
                        1,
                        b.at(memory) + at,
                        1,
                        out.at(memory) + at,
                        count);
            });
        }
        int last = shape.length - 1;
        int[] flagSteps = Broadcasting.steps(condition.type().shape(), shape);
        int[] yesSteps = Broadcasting.steps(a.type().shape(), shape);
        int[] noSteps = Broadcasting.steps(b.type().shape(), shape);
        int inner = shape[last];
        return new Step(out.type().count() / inner, memory -> {
            Row work = row(operands, memory);
            return (begin, end) -> {
                for (int row = begin; row < end; row++) {
                    work.run(
                            condition.at(memory) + StridedBlock.at(row, shape, flagSteps),
                            flagSteps[last],
                            a.at(memory) + StridedBlock.at(row, shape, yesSteps),
                            yesSteps[last],
                            b.at(memory) + StridedBlock.at(row, shape, noSteps),
                            noSteps[last],
                            out.at(memory) + row * inner,
                            inner);
                }
            };
        });
    }

    /** All bits if a flag is true, else none: a branch on flags is guessed wrong. */
    private static int chosen(byte flag) {
        return (flag | -flag) >> 31;
    }

    private static Row row(Operands operands, RunMemory memory) {
        byte[] flags = operands.in(0).bytes(memory);
        return switch (operands.out().type().element().store()) {
            case FLOATS -> {
                float[] a = operands.in(1).floats(memory);
                float[] b = operands.in(2).floats(memory);
                float[] to = operands.out().floats(memory);
                yield (flag, flagStep, yes, yesStep, no, noStep, at, count) -> {
                    for (int i = 0; i < count; i++) {
                        int chosen = chosen(flags[flag + i * flagStep]);
                        to[at + i] = Float.intBitsToFloat(Float.floatToRawIntBits(a[yes + i * yesStep]) & chosen
                                | Float.floatToRawIntBits(b[no + i * noStep]) & ~chosen);
                    }
                };
            }
            case INTS -> {
                int[] a = operands.in(1).ints(memory);
                int[] b = operands.in(2).ints(memory);
                int[] to = operands.out().ints(memory);
                yield (flag, flagStep, yes, yesStep, no, noStep, at, count) -> {
                    for (int i = 0; i < count; i++) {
                        int chosen = chosen(flags[flag + i * flagStep]);
                        to[at + i] = a[yes + i * yesStep] & chosen | b[no + i * noStep] & ~chosen;
                    }
                };
            }
            case BYTES -> {
                byte[] a = operands.in(1).bytes(memory);
                byte[] b = operands.in(2).bytes(memory);
                byte[] to = operands.out().bytes(memory);
                yield (flag, flagStep, yes, yesStep, no, noStep, at, count) -> {
                    for (int i = 0; i < count; i++) {
                        int chosen = chosen(flags[flag + i * flagStep]);
                        to[at + i] = (byte) (a[yes + i * yesStep] & chosen | b[no + i * noStep] & ~chosen);
                    }
                };
            }
        };
    }

    @Override
    public String label() {
        return "select";
    }
}
