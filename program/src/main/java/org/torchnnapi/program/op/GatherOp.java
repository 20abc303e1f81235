package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Slices of the first value along an axis, picked by the second, of 32-bit numbers, whose shape takes the axis' place.
 * An execution with an index that is not there fails.
 *
 * @param axis negative counts from the back
 */
public record GatherOp(int axis) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType in = inputs.get(0);
        ValueType indexes = Require.element("indexes", inputs.get(1), Element.INT32);
        int along = Require.axis(axis, in.rank());
        int[] shape = new int[in.rank() - 1 + indexes.rank()];
        System.arraycopy(in.shape(), 0, shape, 0, along);
        System.arraycopy(indexes.shape(), 0, shape, along, indexes.rank());
        System.arraycopy(in.shape(), along + 1, shape, along + indexes.rank(), in.rank() - along - 1);
        return in.withShape(shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue picked = operands.in(1);
        PlacedValue out = operands.out();
        int along = Require.axis(axis, in.type().rank());
        int extent = in.type().dimension(along);
        int inner = in.type().count(along + 1, in.type().rank());
        int picks = picked.type().count();
        return new Step(in.type().count(0, along) * picks, memory -> {
            Object from = in.array(memory);
            Object to = out.array(memory);
            int[] indexes = picked.ints(memory);
            return (begin, end) -> {
                for (int unit = begin; unit < end; unit++) {
                    int index = indexes[picked.at(memory) + unit % picks];
                    if (index < 0 || index >= extent) {
                        throw new IllegalArgumentException(
                                "index: " + index + " (expected: 0 to " + (extent - 1) + ")");
                    }
                    System.arraycopy(
                            from,
                            in.at(memory) + (unit / picks * extent + index) * inner,
                            to,
                            out.at(memory) + unit * inner,
                            inner);
                }
            };
        });
    }

    @Override
    public String label() {
        return "gather";
    }
}
