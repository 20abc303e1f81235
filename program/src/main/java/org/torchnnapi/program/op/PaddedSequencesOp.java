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
 * Sequences of floats {@code [batch, steps, width]} with a number behind their ends. The second input says by flags
 * {@code [batch, steps]} which steps there are. An execution in which no sequence has all of them fails: padded to the
 * longest, they would be shorter.
 */
public record PaddedSequencesOp(float padding) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType in = Require.floats("sequences", inputs.get(0));
        Require.rank("sequences", in, 3);
        Require.sameShape("flags", Require.element("flags", inputs.get(1), Element.BOOL8), new int[] {
            in.dimension(0), in.dimension(1)
        });
        return in;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue flags = operands.in(1);
        PlacedValue out = operands.out();
        int batch = in.type().dimension(0);
        int steps = in.type().dimension(1);
        int width = in.type().dimension(2);
        return new Step(1, memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            byte[] there = flags.bytes(memory);
            return (begin, end) -> {
                boolean whole = false;
                for (int s = 0; s < batch * steps; s++) {
                    int at = out.at(memory) + s * width;
                    boolean visible = there[flags.at(memory) + s] != 0;
                    if (visible) {
                        System.arraycopy(from, in.at(memory) + s * width, to, at, width);
                    } else {
                        Arrays.fill(to, at, at + width, padding);
                    }
                    whole |= visible && s % steps == steps - 1;
                }
                if (!whole) {
                    throw new IllegalArgumentException(
                            "sequences: all shorter than " + steps + " steps (expected: one that is not)");
                }
            };
        });
    }

    @Override
    public String label() {
        return "padded sequences";
    }
}
