package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The second half of a layer of singular value decomposition filters (Nakkiran et al., Compressing Deep Neural Networks
 * using a Rank-Constrained Topology, 2015): each filter remembers its last products with the inputs and multiplies them
 * by its time weights; a unit sums its filters. Inputs: the filters' newest products {@code [batch, filters]}, and what
 * they remember, oldest first with room for the newest, {@code [batch, filters * memory]}. Result: what they remember
 * then, and after it the units' results, {@code [batch * filters * memory + batch * units]}.
 *
 * @param rank filters of a unit
 * @param time {@code [filters][memory]}; kept
 * @param bias one a unit, or null for none
 */
public record SvdfMemoryOp(int filters, int memory, int rank, float[] time, float[] bias, CellFunction function)
        implements Op {
    public SvdfMemoryOp {
        if (rank < 1 || filters % rank != 0) {
            throw new IllegalArgumentException(
                    "rank: " + rank + " (expected: a divisor of the " + filters + " filters)");
        }
        if (time.length != filters * memory) {
            throw new IllegalArgumentException(
                    "time weights: " + time.length + " (expected: " + filters * memory + ")");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType products = Require.floats("products", inputs.get(0));
        Require.rank("products", products, 2);
        int batch = products.dimension(0);
        Require.sameShape("products", products, new int[] {batch, filters});
        Require.sameShape("state", Require.floats("state", inputs.get(1)), new int[] {batch, filters * memory});
        return ValueType.floats(batch * filters * memory + batch * (filters / rank));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue products = operands.in(0);
        PlacedValue state = operands.in(1);
        PlacedValue out = operands.out();
        int batch = products.type().dimension(0);
        int units = filters / rank;
        int row = filters * memory;
        return new Step(batch, run -> {
                    float[] newest = products.floats(run);
                    float[] before = state.floats(run);
                    float[] to = out.floats(run);
                    return (begin, end) -> {
                        for (int b = begin; b < end; b++) {
                            int at = out.at(run) + b * row;
                            remember(before, state.at(run) + b * row, newest, products.at(run) + b * filters, to, at);
                            int results = out.at(run) + batch * row + b * units;
                            for (int u = 0; u < units; u++) {
                                to[results + u] = (bias == null ? 0 : bias[u]) + sum(to, at, u);
                            }
                            forget(to, at);
                            function.apply(to, results, to, results, units);
                        }
                    };
                })
                .joined((long) batch * row);
    }

    /** The state with the newest products in their room. */
    private void remember(float[] before, int from, float[] newest, int newestAt, float[] to, int at) {
        System.arraycopy(before, from, to, at, filters * memory);
        for (int f = 0; f < filters; f++) {
            to[at + (f + 1) * memory - 1] = newest[newestAt + f];
        }
    }

    /** Of one unit, over its filters and all they remember. */
    private float sum(float[] state, int at, int unit) {
        int size = rank * memory;
        int first = unit * size;
        float even = 0;
        float odd = 0;
        int i = 0;
        // Two sums apart: one alone would wait for each of its additions.
        for (; i + 2 <= size; i += 2) {
            even += time[first + i] * state[at + first + i];
            odd += time[first + i + 1] * state[at + first + i + 1];
        }
        if (i < size) {
            even += time[first + i] * state[at + first + i];
        }
        return even + odd;
    }

    /** Moves all by one, so that the oldest are gone and the rooms for the newest are free. */
    private void forget(float[] state, int at) {
        System.arraycopy(state, at + 1, state, at, filters * memory - 1);
        for (int f = 0; f < filters; f++) {
            state[at + (f + 1) * memory - 1] = 0;
        }
    }

    @Override
    public String label() {
        return "memory of " + filters + " filters";
    }
}
