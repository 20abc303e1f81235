package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Where the k largest elements of each row are, largest first; of equal ones the first. */
public record TopPlacesOp(int k) implements Op {
    /** Up to one in so many is found faster by keeping the largest than by sorting all. */
    private static final int FEW = 16;

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        int last = Require.axis(-1, in.rank());
        if (k < 1 || k > in.dimension(last)) {
            throw new IllegalArgumentException("k: " + k + " (expected: 1 to " + in.dimension(last) + ")");
        }
        int[] shape = in.shape().clone();
        shape[last] = k;
        return ValueType.ints(shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int size = in.type().dimension(in.type().rank() - 1);
        int rows = in.type().count() / size;
        boolean few = k <= Math.max(1, size / FEW);
        // One share: the scratch is the run's.
        return new Step(1, memory -> {
            SortKeys keys = SortKeys.of(in, memory);
            int[] to = out.ints(memory);
            long[] order = new long[few ? k : size];
            return (begin, end) -> {
                for (int row = 0; row < rows; row++) {
                    if (few) {
                        keep(keys, row * size, size, order);
                    } else {
                        for (int i = 0; i < size; i++) {
                            order[i] = rank(keys.at(row * size + i), i);
                        }
                        Arrays.sort(order);
                    }
                    for (int i = 0; i < k; i++) {
                        to[out.at(memory) + row * k + i] = (int) order[i];
                    }
                }
            };
        });
    }

    /** Smaller for what goes first. */
    private static long rank(int key, int place) {
        return (long) ~key << 32 | place;
    }

    /** The first of a row's ranks, sorted. */
    private static void keep(SortKeys keys, int from, int size, long[] first) {
        Arrays.fill(first, Long.MAX_VALUE);
        int last = first.length - 1;
        for (int i = 0; i < size; i++) {
            long rank = rank(keys.at(from + i), i);
            if (rank < first[last]) {
                int at = last;
                for (; at > 0 && first[at - 1] > rank; at--) {
                    first[at] = first[at - 1];
                }
                first[at] = rank;
            }
        }
    }

    @Override
    public String label() {
        return "top " + k;
    }
}
