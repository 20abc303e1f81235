package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * One direction of a recurrent layer. Inputs: {@code [steps, batch, inputs]}, the hidden state before the first step
 * {@code [batch, hidden]}, and for an LSTM its cell state, of the same shape. Result: the output of each step,
 * {@code [steps, batch, hidden]}, the last of them being the hidden state afterwards; an LSTM's has one row more, its
 * cell state afterwards.
 *
 * @param inputWeights {@code [gates * hidden][inputs]}
 * @param hiddenWeights {@code [gates * hidden][hidden]}
 * @param inputBias {@code [gates * hidden]}, or null for none
 * @param hiddenBias {@code [gates * hidden]}, or null for none
 * @param reverse from the last step to the first; outputs stay at the places of their inputs
 */
public record RecurrentOp(
        Cell cell,
        int inputs,
        int hidden,
        Weights inputWeights,
        Weights hiddenWeights,
        float[] inputBias,
        float[] hiddenBias,
        boolean reverse)
        implements Op {
    /**
     * @param inputWeights are kept
     * @param hiddenWeights are kept
     */
    public RecurrentOp(
            Cell cell,
            int inputs,
            int hidden,
            float[] inputWeights,
            float[] hiddenWeights,
            float[] inputBias,
            float[] hiddenBias,
            boolean reverse) {
        this(cell, inputs, hidden, Weights.of(inputWeights), Weights.of(hiddenWeights), inputBias, hiddenBias, reverse);
    }

    @Override
    public ValueType result(List<ValueType> values) {
        return result(cell, inputs, hidden, values);
    }

    static ValueType result(Cell cell, int inputs, int hidden, List<ValueType> values) {
        int states = cell == Cell.LSTM ? 2 : 1;
        Require.count(values, 1 + states, 1 + states);
        ValueType in = Require.floats("input", values.get(0));
        Require.rank("input", in, 3);
        int[] shape = in.shape().clone();
        Require.sameShape("input", in, new int[] {shape[0], shape[1], inputs});
        for (int i = 1; i <= states; i++) {
            Require.sameShape("state", Require.floats("state", values.get(i)), new int[] {shape[1], hidden});
        }
        return ValueType.floats(shape[0] + states - 1, shape[1], hidden);
    }

    FloatRecurrent plan() {
        return FloatRecurrent.plan(cell, inputs, hidden, inputWeights, hiddenWeights, inputBias, hiddenBias);
    }

    @Override
    public Step compile(Operands operands) {
        FloatRecurrent layer = plan();
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int steps = in.type().dimension(0);
        int batch = in.type().dimension(1);
        int group = FloatRecurrent.SEQUENCES * hidden;
        if (batch <= FloatRecurrent.SEQUENCES && FloatRecurrent.isDivisible(cell, hidden)) {
            return together(layer, operands, steps, batch);
        }
        return new Step(layer.units(batch), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            Strides inAt = new Strides(in.at(memory), batch * inputs, inputs);
            Strides outAt = new Strides(out.at(memory), batch * hidden, hidden);
            float[] state = new float[batch * hidden];
            float[] before = operands.in(1).floats(memory);
            float[] cellsBefore = cell == Cell.LSTM ? operands.in(2).floats(memory) : null;
            int cells = out.at(memory) + steps * batch * hidden;
            return (begin, end) -> {
                int first = begin * group;
                int count = Math.min(end * group, state.length) - first;
                System.arraycopy(before, operands.in(1).at(memory) + first, state, first, count);
                if (cellsBefore != null) {
                    System.arraycopy(cellsBefore, operands.in(2).at(memory) + first, to, cells + first, count);
                }
                layer.run(from, inAt, to, outAt, steps, batch, reverse, state, 0, to, cells, begin, end);
            };
        });
    }

    /**
     * Few sequences: threads share each step by hidden units. Rounds are the steps, and one before and after them for
     * the states.
     */
    private Step together(FloatRecurrent layer, Operands operands, int steps, int batch) {
        PlacedValue in = operands.in(0);
        PlacedValue before = operands.in(1);
        PlacedValue out = operands.out();
        return Step.rounds(steps + 2, layer.shares(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            Strides inAt = new Strides(in.at(memory), batch * inputs, inputs);
            Strides outAt = new Strides(out.at(memory), batch * hidden, hidden);
            float[] state = new float[batch * hidden];
            int cells = out.at(memory) + steps * batch * hidden;
            FloatRecurrent.Together together = layer.together(batch);
            return (round, begin, end) -> {
                if (round > 0 && round <= steps) {
                    together.step(from, inAt, to, outAt, steps, reverse, round - 1, begin, end);
                } else if (begin == 0 && round == 0) {
                    together.begin(
                            before.floats(memory),
                            before.at(memory),
                            cell == Cell.LSTM ? operands.in(2).floats(memory) : null,
                            cell == Cell.LSTM ? operands.in(2).at(memory) : 0);
                } else if (begin == 0) {
                    together.end(steps, state, 0, to, cells);
                }
            };
        });
    }

    @Override
    public long packedBytes() {
        return (long) Float.BYTES * (inputWeights.length() + hiddenWeights.length());
    }

    @Override
    public String label() {
        return (reverse ? "backward " : "") + cell + " " + inputs + " to " + hidden;
    }
}
