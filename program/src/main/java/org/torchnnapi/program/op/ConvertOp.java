package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Numbers as another kind of number, as C converts them: to floats the nearest, to 32-bit numbers towards zero, to
 * flags whether they are not 0. Bytes count as stored. An execution fails where a float lies beyond 32-bit numbers, or
 * is no number.
 *
 * @param to FLOAT32, INT32 or BOOL8
 */
public record ConvertOp(Element to) implements Op {
    public ConvertOp {
        if (to.isQuantized()) {
            throw new IllegalArgumentException("to: " + to + " (expected: " + Element.FLOAT32 + ", " + Element.INT32
                    + " or " + Element.BOOL8 + ")");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return new ValueType(to, Require.only(inputs).shape(), 0, 0);
    }

    /** Elements from {@code from} on, written from {@code target} on. */
    private interface Loop {
        void run(int from, int target, int count);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            Loop loop = switch (to) {
                case FLOAT32 -> floats(in, memory, out.floats(memory));
                case INT32 -> ints(in, memory, out.ints(memory));
                default -> flags(in, memory, out.bytes(memory));
            };
            return (at, count) -> loop.run(in.at(memory) + at, out.at(memory) + at, count);
        });
    }

    private static Loop floats(PlacedValue in, RunMemory memory, float[] to) {
        return switch (in.type().element().store()) {
            case FLOATS -> {
                float[] values = in.floats(memory);
                yield (from, target, count) -> System.arraycopy(values, from, to, target, count);
            }
            case INTS -> {
                int[] values = in.ints(memory);
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = values[from + i];
                    }
                };
            }
            case BYTES -> {
                byte[] values = in.bytes(memory);
                int[] stored = stored(in.type().element());
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = stored[values[from + i] & 0xff];
                    }
                };
            }
        };
    }

    private static Loop ints(PlacedValue in, RunMemory memory, int[] to) {
        return switch (in.type().element().store()) {
            case FLOATS -> {
                float[] values = in.floats(memory);
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        float value = values[from + i];
                        if (!(value > -0x1p31f && value < 0x1p31f)) {
                            throw new ArithmeticException("float: " + value + " (expected: within 32-bit numbers)");
                        }
                        to[target + i] = (int) value;
                    }
                };
            }
            case INTS -> {
                int[] values = in.ints(memory);
                yield (from, target, count) -> System.arraycopy(values, from, to, target, count);
            }
            case BYTES -> {
                byte[] values = in.bytes(memory);
                int[] stored = stored(in.type().element());
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = stored[values[from + i] & 0xff];
                    }
                };
            }
        };
    }

    private static Loop flags(PlacedValue in, RunMemory memory, byte[] to) {
        return switch (in.type().element().store()) {
            case FLOATS -> {
                float[] values = in.floats(memory);
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = (byte) (values[from + i] != 0 ? 1 : 0);
                    }
                };
            }
            case INTS -> {
                int[] values = in.ints(memory);
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = (byte) (values[from + i] != 0 ? 1 : 0);
                    }
                };
            }
            case BYTES -> {
                byte[] values = in.bytes(memory);
                yield (from, target, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[target + i] = (byte) (values[from + i] != 0 ? 1 : 0);
                    }
                };
            }
        };
    }

    /** The number that each of the 256 bytes stands for as it is stored. */
    private static int[] stored(Element element) {
        int[] stored = new int[256];
        for (int i = 0; i < stored.length; i++) {
            stored[i] = element == Element.BOOL8 ? Math.min(i, 1) : element.isSigned() ? (byte) i : i;
        }
        return stored;
    }

    @Override
    public String label() {
        return "convert to " + to;
    }
}
