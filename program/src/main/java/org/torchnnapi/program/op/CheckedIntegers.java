package org.torchnnapi.program.op;

import java.util.List;
import java.util.Locale;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A function of the elements of two values of 32-bit numbers that stand for wider ones: an execution whose result they cannot hold fails, with
 * an {@link ArithmeticException}. Shapes are broadcast as NumPy does.
 */
public record CheckedIntegers(Function function) implements Op {
    /** What a pair of numbers gives. */
    public enum Function {
        ADD {
            @Override
            int apply(int a, int b) {
                return Math.addExact(a, b);
            }
        },
        SUB {
            @Override
            int apply(int a, int b) {
                return Math.subtractExact(a, b);
            }
        },
        MUL {
            @Override
            int apply(int a, int b) {
                return Math.multiplyExact(a, b);
            }
        },
        /** Towards minus infinity. */
        FLOOR_DIV {
            @Override
            int apply(int a, int b) {
                return Math.toIntExact(Math.floorDiv((long) a, b));
            }
        },
        /** What division towards minus infinity leaves. */
        REMAINDER {
            @Override
            int apply(int a, int b) {
                return Math.floorMod(a, b);
            }
        },
        MAX {
            @Override
            int apply(int a, int b) {
                return Math.max(a, b);
            }
        },
        MIN {
            @Override
            int apply(int a, int b) {
                return Math.min(a, b);
            }
        };

        abstract int apply(int a, int b);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType a = Require.element("a", inputs.get(0), Element.INT32);
        return a.withShape(Broadcasting.shape(a, Require.element("b", inputs.get(1), Element.INT32)));
    }

    @Override
    public Step compile(Operands operands) {
        Operand a = operands.in(0);
        Operand b = operands.in(1);
        Operand out = operands.out();
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
        return function.name().toLowerCase(Locale.ROOT) + " of numbers, checked";
    }
}
