package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * An LSTM layer of any kind after its inputs have been weighted ({@link RecurrentOp} has the plain kind, and weights
 * its inputs itself). Inputs: the gates' sums {@code [steps, batch, gates * units]}, bias included unless they are to
 * be normalized; the outputs before the first step {@code [batch, outputs]}; the cells before it {@code [batch,
 * units]}. Result: the outputs of all steps, then the cells after the last, {@code [steps * batch * outputs + batch *
 * units]}.
 *
 * @param weights kept
 * @param function of what is added to the cells, and of the cells themselves
 * @param cellClip limits of the cells
 * @param outputClip limits of what the projection gives
 * @param reverse from the last step to the first; outputs stay at the places of their sums
 */
public record LstmStepsOp(LstmWeights weights, CellFunction function, Clamp cellClip, Clamp outputClip, boolean reverse)
        implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        ValueType sums = Require.floats("sums", inputs.get(0));
        Require.rank("sums", sums, 3);
        int steps = sums.dimension(0);
        int batch = sums.dimension(1);
        Require.sameShape("sums", sums, new int[] {steps, batch, weights.gates() * weights.units()});
        Require.sameShape(
                "outputs before", Require.floats("outputs before", inputs.get(1)), new int[] {batch, weights.outputs()
                });
        Require.sameShape(
                "cells before", Require.floats("cells before", inputs.get(2)), new int[] {batch, weights.units()});
        return ValueType.floats(
                Math.addExact(Math.multiplyExact(steps * batch, weights.outputs()), batch * weights.units()));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue sums = operands.in(0);
        int batch = sums.type().dimension(1);
        int sequences = RecurrentProduct.share(batch);
        Walk walk = new Walk(operands, sequences);
        return new Step(batch / sequences, memory -> {
            float[] gates = new float[batch * weights.gates() * weights.units()];
            float[] hidden = new float[weights.projection() == null ? 0 : batch * weights.units()];
            return (begin, end) -> {
                for (int share = begin; share < end; share++) {
                    walk.run(memory, share * sequences, gates, hidden);
                }
            };
        });
    }

    /** The steps of a share of the sequences, over packed weights. */
    private final class Walk {
        private final PlacedValue sums;
        private final PlacedValue before;
        private final PlacedValue cellsBefore;
        private final PlacedValue out;
        private final int steps;
        private final int batch;
        private final int sequences;
        private final int units = weights.units();
        private final int outputs = weights.outputs();
        private final int row = weights.gates() * weights.units();
        private final RecurrentProduct recurrent;
        private final RecurrentProduct projection;
        private final LstmGates cell = new LstmGates(weights, function, cellClip);

        Walk(Operands operands, int sequences) {
            sums = operands.in(0);
            before = operands.in(1);
            cellsBefore = operands.in(2);
            out = operands.out();
            steps = sums.type().dimension(0);
            batch = sums.type().dimension(1);
            this.sequences = sequences;
            recurrent = RecurrentProduct.of(outputs, row, Weights.of(weights.recurrent()), null, Clamp.NONE, sequences);
            projection = weights.projection() == null
                    ? null
                    : RecurrentProduct.of(
                            units,
                            outputs,
                            Weights.of(weights.projection()),
                            weights.projectionBias(),
                            outputClip,
                            sequences);
        }

        void run(RunMemory memory, int first, float[] gates, float[] hidden) {
            float[] weighted = sums.floats(memory);
            float[] to = out.floats(memory);
            int cells = out.at(memory) + (steps * batch * outputs) + first * units;
            System.arraycopy(
                    cellsBefore.floats(memory), cellsBefore.at(memory) + first * units, to, cells, sequences * units);
            float[] h = before.floats(memory);
            int at = before.at(memory) + first * outputs;
            for (int i = 0; i < steps; i++) {
                int step = (reverse ? steps - 1 - i : i) * batch + first;
                recurrent.runAdding(h, at, weighted, sums.at(memory) + step * row, gates, first * row);
                h = to;
                at = out.at(memory) + step * outputs;
                for (int s = 0; s < sequences; s++) {
                    int sequence = first + s;
                    if (projection == null) {
                        cell.step(gates, sequence * row, to, cells + s * units, to, at + s * outputs);
                    } else {
                        cell.step(gates, sequence * row, to, cells + s * units, hidden, sequence * units);
                    }
                }
                if (projection != null) {
                    projection.run(hidden, first * units, to, at);
                }
            }
        }
    }

    @Override
    public long packedBytes() {
        return (long) Float.BYTES
                * (weights.recurrent().length + (weights.projection() == null ? 0 : weights.projection().length));
    }

    @Override
    public long weightWork(Operands operands) {
        return packedBytes() * operands.in(0).type().count(0, 2);
    }

    @Override
    public String label() {
        return (reverse ? "backward " : "") + "LSTM of " + weights.units();
    }
}
