package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Of flags {@code [.., n]} as many in each row as are set there, at its beginning: which steps sequences of such
 * lengths have.
 */
public record LeadingFlagsOp() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.element("flags", Require.only(inputs), Element.BOOL8);
        Require.axis(0, in.rank());
        return in;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int row = in.type().dimension(in.type().rank() - 1);
        return new Step(in.type().count() / row, memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (begin, end) -> {
                for (int r = begin; r < end; r++) {
                    int set = 0;
                    for (int i = 0; i < row; i++) {
                        set += from[in.at(memory) + r * row + i] != 0 ? 1 : 0;
                    }
                    int at = out.at(memory) + r * row;
                    Arrays.fill(to, at, at + set, (byte) 1);
                    Arrays.fill(to, at + set, at + row, (byte) 0);
                }
            };
        });
    }

    @Override
    public String label() {
        return "leading flags";
    }
}
