package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * One direction of a dynamically quantized recurrent layer; inputs and result are those of {@link RecurrentOp}.
 *
 * @param input from a step's input to the sums of all gates
 * @param hidden from the output of the step before to the same
 * @param reverse from the last step to the first; outputs stay at the places of their inputs
 */
public record DynamicLayerOp(Cell cell, DynamicProduct input, DynamicProduct hidden, boolean reverse) implements Op {
    @Override
    public ValueType result(List<ValueType> values) {
        return RecurrentOp.result(cell, input.inputs(), hidden.inputs(), values);
    }

    @Override
    public Step compile(Operands operands) {
        DynamicRecurrent layer = DynamicRecurrent.of(cell, input, hidden);
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int steps = in.type().dimension(0);
        int batch = in.type().dimension(1);
        int states = batch * hidden.inputs();
        // All sequences share a range, so there is one share of the work.
        return new Step(1, memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            float[] before = operands.in(1).floats(memory);
            float[] cellsBefore = cell == Cell.LSTM ? operands.in(2).floats(memory) : null;
            float[] state = new float[states];
            DynamicRecurrent.Scratch scratch = layer.scratch(steps, batch);
            return (begin, end) -> {
                int cells = out.at(memory) + steps * states;
                System.arraycopy(before, operands.in(1).at(memory), state, 0, states);
                if (cellsBefore != null) {
                    System.arraycopy(cellsBefore, operands.in(2).at(memory), to, cells, states);
                }
                layer.run(from, in.at(memory), to, out.at(memory), steps, batch, reverse, state, 0, to, cells, scratch);
            };
        });
    }

    @Override
    public long packedBytes() {
        return (long) input.outputs() * (input.inputs() + hidden.inputs());
    }

    @Override
    public String label() {
        return (reverse ? "backward " : "") + "dynamic " + cell + " " + input.inputs() + " to " + hidden.inputs();
    }
}
