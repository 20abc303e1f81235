package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A basic recurrent layer after its inputs have been weighted: {@code h' = function(sums + R h)}. Inputs: the sums,
 * bias included, {@code [steps, batch, units]}, and h before the first step, {@code [batch, units]}. Result: h after
 * each step, {@code [steps, batch, units]}.
 *
 * @param recurrent {@code [units][units]}
 * @param reverse from the last step to the first; results stay at the places of their sums
 */
public record RnnStepsOp(int units, Weights recurrent, CellFunction function, boolean reverse) implements Op {
    /**
     * Weights of a share where threads do steps together: they take several times as long to multiply as threads to
     * meet.
     */
    private static final int SHARE_WEIGHTS = 1 << 17;

    /** @param recurrent are kept */
    public RnnStepsOp(int units, float[] recurrent, CellFunction function, boolean reverse) {
        this(units, Weights.of(recurrent), function, reverse);
    }

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
        PlacedValue sums = operands.in(0);
        PlacedValue state = operands.in(1);
        PlacedValue out = operands.out();
        int steps = sums.type().dimension(0);
        int row = sums.type().dimension(1) * units;
        int sequences = RecurrentProduct.share(sums.type().dimension(1));
        int share = sequences * units;
        int parts = (int) Math.min(Machine.current().shares(), (long) units * units / SHARE_WEIGHTS);
        if (row == share && parts > 1) {
            return together(operands, steps, sequences, parts);
        }
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

    /** Few sequences: threads share each step by units, and meet after it. */
    private Step together(Operands operands, int steps, int sequences, int parts) {
        PlacedValue sums = operands.in(0);
        PlacedValue state = operands.in(1);
        PlacedValue out = operands.out();
        Share[] shares = new Share[parts];
        for (int i = 0; i < parts; i++) {
            shares[i] = new Share(units * i / parts, units * (i + 1) / parts, sequences);
        }
        return Step.rounds(steps, parts, memory -> {
            float[] weighted = sums.floats(memory);
            float[] before = state.floats(memory);
            float[] to = out.floats(memory);
            float[][] rooms = new float[parts][];
            for (int i = 0; i < parts; i++) {
                rooms[i] = new float[2 * sequences * shares[i].count()];
            }
            int row = sequences * units;
            return (round, begin, end) -> {
                int step = (reverse ? steps - 1 - round : round) * row;
                int last = (reverse ? steps - round : round - 1) * row;
                for (int i = begin; i < end; i++) {
                    // To and fro, so that the weights that a step used last are still near for the next.
                    int at = round % 2 == 0 ? i : begin + end - 1 - i;
                    shares[at].run(
                            round == 0 ? before : to,
                            round == 0 ? state.at(memory) : out.at(memory) + last,
                            weighted,
                            sums.at(memory) + step,
                            to,
                            out.at(memory) + step,
                            rooms[at]);
                }
            };
        });
    }

    /** The units [first, end) of all sequences. */
    private final class Share {
        private final int first;
        private final int end;
        private final int sequences;
        private final RecurrentProduct product;

        Share(int first, int end, int sequences) {
            this.first = first;
            this.end = end;
            this.sequences = sequences;
            product = RecurrentProduct.of(
                    units, count(), recurrent.part(first * units, end * units), null, function.clamp(), sequences);
        }

        int count() {
            return end - first;
        }

        /** @param room for the sums and the results of several sequences, which lie together */
        void run(float[] h, int at, float[] weighted, int sums, float[] to, int next, float[] room) {
            int count = count();
            if (sequences == 1) {
                product.runAdding(h, at, weighted, sums + first, to, next + first);
                if (!function.isClamp()) {
                    function.apply(to, next + first, to, next + first, count);
                }
                return;
            }
            int results = sequences * count;
            for (int s = 0; s < sequences; s++) {
                System.arraycopy(weighted, sums + s * units + first, room, s * count, count);
            }
            product.runAdding(h, at, room, 0, room, results);
            if (!function.isClamp()) {
                function.apply(room, results, room, results, results);
            }
            for (int s = 0; s < sequences; s++) {
                System.arraycopy(room, results + s * count, to, next + s * units + first, count);
            }
        }
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 0;
    }

    @Override
    public long packedBytes() {
        return (long) recurrent.length() * Float.BYTES;
    }

    @Override
    public String label() {
        return (reverse ? "backward " : "") + "RNN of " + units;
    }
}
