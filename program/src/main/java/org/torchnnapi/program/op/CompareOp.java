package org.torchnnapi.program.op;

import java.util.List;
import java.util.Locale;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Whether elements of two values stand in a relation: floats, 32-bit numbers, flags, or bytes as the numbers they stand
 * for, each of its own scale. Shapes are broadcast as NumPy does.
 */
public record CompareOp(Relation relation) implements Op {
    /** A NaN is unequal to everything and stands in no other relation. */
    public enum Relation {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_EQUAL,
        GREATER,
        GREATER_EQUAL;

        /** Of floats and 32-bit numbers alike: a double holds each of them exactly. */
        boolean holds(double a, double b) {
            return switch (this) {
                case EQUAL -> a == b;
                case NOT_EQUAL -> a != b;
                case LESS -> a < b;
                case LESS_EQUAL -> a <= b;
                case GREATER -> a > b;
                case GREATER_EQUAL -> a >= b;
            };
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        Require.element("b", inputs.get(1), inputs.get(0).element());
        return ValueType.flags(Broadcasting.shape(inputs.get(0), inputs.get(1)));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        return Broadcasting.rows(
                operands,
                switch (a.type().element().store()) {
                    case FLOATS ->
                        memory -> {
                            float[] left = a.floats(memory);
                            float[] right = b.floats(memory);
                            byte[] to = out.bytes(memory);
                            return (atA, stepA, atB, stepB, at, count) -> {
                                for (int i = 0; i < count; i++) {
                                    to[at + i] = (byte)
                                            (relation.holds(left[atA + i * stepA], right[atB + i * stepB]) ? 1 : 0);
                                }
                            };
                        };
                    case INTS ->
                        memory -> {
                            int[] left = a.ints(memory);
                            int[] right = b.ints(memory);
                            byte[] to = out.bytes(memory);
                            return (atA, stepA, atB, stepB, at, count) -> {
                                for (int i = 0; i < count; i++) {
                                    to[at + i] = (byte)
                                            (relation.holds(left[atA + i * stepA], right[atB + i * stepB]) ? 1 : 0);
                                }
                            };
                        };
                    case BYTES -> {
                        float[] valuesA = ByteValues.of(a.type());
                        float[] valuesB = ByteValues.of(b.type());
                        yield memory -> {
                            byte[] left = a.bytes(memory);
                            byte[] right = b.bytes(memory);
                            byte[] to = out.bytes(memory);
                            return (atA, stepA, atB, stepB, at, count) -> {
                                for (int i = 0; i < count; i++) {
                                    to[at + i] = (byte)
                                            (relation.holds(
                                                            valuesA[left[atA + i * stepA] & 0xff],
                                                            valuesB[right[atB + i * stepB] & 0xff])
                                                    ? 1
                                                    : 0);
                                }
                            };
                        };
                    }
                });
    }

    @Override
    public String label() {
        return relation.name().toLowerCase(Locale.ROOT);
    }
}
