package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Elements of each row of the first value at the places that the same row of the second, of 32-bit numbers, names. An
 * execution with a place that is not there fails.
 */
public record TakeAlongOp() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType in = inputs.get(0);
        ValueType places = Require.element("places", inputs.get(1), Element.INT32);
        Require.rank("places", places, in.rank());
        int last = Require.axis(-1, in.rank());
        int[] expected = in.shape().clone();
        expected[last] = places.dimension(last);
        Require.sameShape("places", places, expected);
        return in.withShape(expected);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue places = operands.in(1);
        PlacedValue out = operands.out();
        int last = in.type().rank() - 1;
        int row = in.type().dimension(last);
        int taken = places.type().dimension(last);
        return new Step(in.type().count(0, last), memory -> {
            Object from = in.array(memory);
            Object to = out.array(memory);
            int[] at = places.ints(memory);
            return (begin, end) -> {
                for (int i = begin * taken; i < end * taken; i++) {
                    int place = at[places.at(memory) + i];
                    if (place < 0 || place >= row) {
                        throw new IllegalArgumentException("place: " + place + " (expected: 0 to " + (row - 1) + ")");
                    }
                    System.arraycopy(from, in.at(memory) + i / taken * row + place, to, out.at(memory) + i, 1);
                }
            };
        });
    }

    @Override
    public String label() {
        return "gather along rows";
    }
}
