package org.torchnnapi.program.op;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Both directions of a recurrent layer, which threads do at the same time. Inputs: {@code [steps, batch, inputs]}, then
 * for the forward and for the backward direction the hidden state before its first step {@code [batch, hidden]} and for
 * LSTMs the cell state, of the same shape. Result: {@code [steps, batch, 2 * hidden]}, the outputs of both directions
 * beside each other, then a row of as many elements that are the hidden states afterwards, {@code [2, batch, hidden]},
 * then for LSTMs one for the cell states.
 */
public record RecurrentDirectionsOp(RecurrentOp forward, RecurrentOp backward) implements Op {
    public RecurrentDirectionsOp {
        if (forward.reverse()
                || !backward.reverse()
                || forward.cell() != backward.cell()
                || forward.inputs() != backward.inputs()
                || forward.hidden() != backward.hidden()) {
            throw new IllegalArgumentException("directions: " + forward.label() + " and " + backward.label()
                    + " (expected: a forward and a backward one "
                    + "of one cell, with as many inputs and hidden units)");
        }
    }

    /**
     * Whether threads do a layer sooner so than one direction after the other, of which they share each step where it
     * is large.
     */
    public static boolean suits(Cell cell, int hidden) {
        return !FloatRecurrent.isDivisible(cell, hidden);
    }

    private int states() {
        return forward.cell() == Cell.LSTM ? 2 : 1;
    }

    @Override
    public ValueType result(List<ValueType> values) {
        int states = states();
        Require.count(values, 1 + 2 * states, 1 + 2 * states);
        for (int direction = 0; direction < 2; direction++) {
            List<ValueType> own = new ArrayList<>(values.subList(1 + direction * states, 1 + (direction + 1) * states));
            own.add(0, values.get(0));
            forward.result(own);
        }
        int[] in = values.get(0).shape();
        return ValueType.floats(in[0] + states, in[1], 2 * forward.hidden());
    }

    @Override
    public Step compile(Operands operands) {
        FloatRecurrent[] layers = {forward.plan(), backward.plan()};
        int batch = operands.in(0).type().dimension(1);
        int units = layers[0].units(batch);
        return new Step(2 * units, memory -> {
            Work[] work = {new Work(layers[0], 0, operands, memory), new Work(layers[1], 1, operands, memory)};
            return (begin, end) -> {
                for (int direction = 0; direction < 2; direction++) {
                    int first = Math.max(0, begin - direction * units);
                    int last = Math.min(units, end - direction * units);
                    if (first < last) {
                        work[direction].run(first, last);
                    }
                }
            };
        });
    }

    /** A direction's, in a run's memory. */
    private final class Work {
        private final FloatRecurrent layer;
        private final boolean reverse;
        private final int batch;
        private final int steps;
        private final float[] in;
        private final Strides inAt;
        private final float[] out;
        private final Strides outAt;
        private final PlacedValue before;
        private final PlacedValue cellsBefore;
        private final RunMemory memory;
        /** Where its states afterwards are. */
        private final int hiddenAt;

        private final int cellsAt;

        Work(FloatRecurrent layer, int direction, Operands operands, RunMemory memory) {
            this.layer = layer;
            this.memory = memory;
            reverse = direction == 1;
            steps = operands.in(0).type().dimension(0);
            batch = operands.in(0).type().dimension(1);
            int hidden = forward.hidden();
            int row = 2 * batch * hidden;
            in = operands.in(0).floats(memory);
            inAt = new Strides(operands.in(0).at(memory), batch * forward.inputs(), forward.inputs());
            out = operands.out().floats(memory);
            int at = operands.out().at(memory);
            outAt = new Strides(at + direction * hidden, row, 2 * hidden);
            hiddenAt = at + steps * row + direction * batch * hidden;
            cellsAt = hiddenAt + row;
            before = operands.in(1 + direction * states());
            cellsBefore = states() == 2 ? operands.in(2 + direction * states()) : null;
        }

        /** Units of sequences. */
        void run(int begin, int end) {
            int group = FloatRecurrent.SEQUENCES * forward.hidden();
            int first = begin * group;
            int count = Math.min(end * group, batch * forward.hidden()) - first;
            System.arraycopy(before.floats(memory), before.at(memory) + first, out, hiddenAt + first, count);
            if (cellsBefore != null) {
                System.arraycopy(
                        cellsBefore.floats(memory), cellsBefore.at(memory) + first, out, cellsAt + first, count);
            }
            layer.run(in, inAt, out, outAt, steps, batch, reverse, out, hiddenAt, out, cellsAt, begin, end);
        }
    }

    @Override
    public long packedBytes() {
        return forward.packedBytes() + backward.packedBytes();
    }

    @Override
    public String label() {
        return "both directions " + forward.label();
    }
}
