package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Along an axis the sum of each element and all before it, of floats summed in double, or of 32-bit numbers; an
 * execution whose sums those cannot hold fails, with an {@link ArithmeticException}.
 *
 * @param axis negative counts from the back
 */
public record CumulativeSumOp(int axis) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        Require.axis(axis, in.rank());
        return in.isFloat() ? in : Require.element("input", in, Element.INT32);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        ValueType type = in.type();
        int along = Require.axis(axis, type.rank());
        int extent = type.dimension(along);
        int inner = type.count(along + 1, type.rank());
        return new Step(type.count(0, along) * inner, memory -> {
            if (type.isFloat()) {
                float[] from = in.floats(memory);
                float[] to = out.floats(memory);
                return (begin, end) -> {
                    for (int row = begin; row < end; row++) {
                        int at = row / inner * extent * inner + row % inner;
                        double sum = 0;
                        for (int i = 0; i < extent; i++) {
                            sum += from[in.at(memory) + at + i * inner];
                            to[out.at(memory) + at + i * inner] = (float) sum;
                        }
                    }
                };
            }
            int[] from = in.ints(memory);
            int[] to = out.ints(memory);
            return (begin, end) -> {
                for (int row = begin; row < end; row++) {
                    int at = row / inner * extent * inner + row % inner;
                    int sum = 0;
                    for (int i = 0; i < extent; i++) {
                        sum = Math.addExact(sum, from[in.at(memory) + at + i * inner]);
                        to[out.at(memory) + at + i * inner] = sum;
                    }
                }
            };
        });
    }

    @Override
    public String label() {
        return "cumulative sum";
    }
}
