package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A basic recurrent layer after its inputs have been weighted: {@code h' = function(sums + R h)}. Inputs: the sums, bias included,
 * {@code [steps, batch, units]}, and h before the first step, {@code [batch, units]}. Result: h after each step,
 * {@code [steps, batch, units]}.
 *
 * @param recurrent {@code [units][units]}; kept
 * @param reverse from the last step to the first; results stay at the places of their sums
 */
public record RnnSteps(int units, float[] recurrent, CellFunction function, boolean reverse) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType sums = Require.floats("sums", inputs.get(0));
        Require.rank("sums", sums, 3);
        Require.sameShape("sums", sums, new int[] {sums.dimension(0), sums.dimension(1), units});
        Require.sameShape("state", Require.floats("state", inputs.get(1)), new int[] {sums.dimension(1), units});
        return sums;
    }

    @Override
    public Step compile(Operands operands) {
        Operand sums = operands.in(0);
        Operand state = operands.in(1);
        Operand out = operands.out();
        int steps = sums.type().dimension(0);
        int row = sums.type().dimension(1) * units;
        int sequences = RecurrentProduct.share(sums.type().dimension(1));
        int share = sequences * units;
        Clamp clamp = function.clamp();
        RecurrentProduct product = RecurrentProduct.of(units, units, recurrent, null, clamp, sequences);
        return new Step(row / share, memory -> {
            float[] weighted = sums.floats(memory);
            float[] before = state.floats(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                for (int first = begin * share; first < end * share; first += share) {
                    float[] h = before;
                    int at = state.at(memory) + first;
                    for (int i = 0; i < steps; i++) {
                        int step = (reverse ? steps - 1 - i : i) * row + first;
                        int next = out.at(memory) + step;
                        product.runAdding(h, at, weighted, sums.at(memory) + step, to, next);
                        if (!function.isClamp()) {
                            function.apply(to, next, to, next, share);
                        }
                        h = to;
                        at = next;
                    }
                }
            };
        });
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 0;
    }

    @Override
    public long packedBytes() {
        return (long) recurrent.length * Float.BYTES;
    }

    @Override
    public String label() {
        return (reverse ? "backward " : "") + "RNN of " + units;
    }
}
