package org.torchnnapi.program.op;

import java.util.List;
import java.util.Locale;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A function of the elements of two values of 32-bit numbers, or of two of flags (0 or 1); shapes are broadcast as
 * NumPy does.
 */
public record Int32BinaryOp(Function function) implements Op {
    /** What a pair of numbers gives. */
    public enum Function {
        /** Results wrap around. */
        ADD,
        SUB,
        MUL,
        /**
         * Numbers that stand for wider ones: an execution whose result 32 bits cannot hold fails, with an
         * {@link ArithmeticException}.
         */
        ADD_EXACT,
        SUB_EXACT,
        MUL_EXACT,
        /** Towards minus infinity; by zero, zero. */
        DIV,
        MAX,
        MIN,
        AND,
        OR;

        int apply(int a, int b) {
            return switch (this) {
                case ADD -> a + b;
                case SUB -> a - b;
                case MUL -> a * b;
                case ADD_EXACT -> Math.addExact(a, b);
                case SUB_EXACT -> Math.subtractExact(a, b);
                case MUL_EXACT -> Math.multiplyExact(a, b);
                case DIV -> b == 0 ? 0 : Math.floorDiv(a, b);
                case MAX -> Math.max(a, b);
                case MIN -> Math.min(a, b);
                case AND -> a & b;
                case OR -> a | b;
            };
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType a = inputs.get(0);
        if (a.isFloat() || a.isQuantized()) {
            throw new IllegalArgumentException(
                    "a: " + a + " (expected: " + Element.INT32 + " or " + Element.BOOL8 + ")");
        }
        Require.element("b", inputs.get(1), a.element());
        return a.withShape(Broadcasting.shape(a, inputs.get(1)));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        if (a.type().element() == Element.BOOL8) {
            return Broadcasting.rows(operands, memory -> {
                byte[] left = a.bytes(memory);
                byte[] right = b.bytes(memory);
                byte[] to = out.bytes(memory);
                return (atA, stepA, atB, stepB, at, count) -> {
                    for (int i = 0; i < count; i++) {
                        to[at + i] = (byte)
                                function.apply(left[atA + i * stepA] == 0 ? 0 : 1, right[atB + i * stepB] == 0 ? 0 : 1);
                    }
                };
            });
        }
        return Broadcasting.rows(operands, memory -> {
            int[] left = a.ints(memory);
            int[] right = b.ints(memory);
            int[] to = out.ints(memory);
            return (atA, stepA, atB, stepB, at, count) -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = function.apply(left[atA + i * stepA], right[atB + i * stepB]);
                }
            };
        });
    }

    @Override
    public String label() {
        return function.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " of numbers";
    }
}
