package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.torchnnapi.tensor.platform.Streams;

/**
 * How the dimensions of a tensor of any rank are put in another order, by transpositions of four dimensions at most:
 * the dimensions that stay neighbours are moved as one, and of the ways that are left the cheapest is taken.
 */
final class TransposeDecomposition {
    /** Of so many dimensions every way is looked at: 720 orders. */
    private static final int SEARCHED = 6;
    /** What an element costs that is moved alone, beside what it costs to read and to write it. */
    private static final int ALONE = 4;
    /** Elements of a row that are moved together where rows become columns. */
    private static final int TILE = 8;

    private final List<Step> steps;
    private final double cost;

    private TransposeDecomposition(List<Step> steps, double cost) {
        this.steps = steps;
        this.cost = cost;
    }

    /**
     * A transposition of what has been reshaped to {@code dims}; dimension d of its result is dimension
     * {@code order[d]}.
     */
    private record Step(int[] dims, int[] order) {}

    /**
     * @param shape of the tensor as it lies
     * @param order dimension d of the result is dimension {@code order[d]}
     */
    static TransposeDecomposition of(int[] shape, int... order) {
        List<Integer> sizes = new ArrayList<>();
        int[] block = new int[shape.length];
        int[] places = new int[shape.length];
        for (int d = 0; d < order.length; d++) {
            places[order[d]] = d;
        }
        int last = -1;
        for (int d = 0; d < shape.length; d++) {
            if (shape[d] == 1) {
                continue;
            }
            if (last >= 0 && nextLong(shape, order, places[last]) == d) {
                sizes.set(sizes.size() - 1, Math.multiplyExact(sizes.get(sizes.size() - 1), shape[d]));
            } else {
                sizes.add(shape[d]);
            }
            block[d] = sizes.size() - 1;
            last = d;
        }
        int[] wanted = Arrays.stream(order)
                .filter(d -> shape[d] != 1)
                .map(d -> block[d])
                .distinct()
                .toArray();
        return between(sizes.stream().mapToInt(s -> s).toArray(), wanted);
    }

    /** The dimension of more than one element that follows in the result, or -1. */
    private static int nextLong(int[] shape, int[] order, int place) {
        for (int i = place + 1; i < order.length; i++) {
            if (shape[order[i]] != 1) {
                return order[i];
            }
        }
        return -1;
    }

    /** What the moves cost for each element, where copying the tensor as it lies costs 1; 0 where nothing moves. */
    double cost() {
        return cost;
    }

    /** The tensor whose elements are in the new order, under dimensions of whatever sizes. */
    OperandRef apply(NnapiBuilder nnapi, OperandRef in) {
        OperandRef term = in;
        for (Step step : steps) {
            term = nnapi.transpose(nnapi.reshape(term, step.dims()), step.order());
        }
        return term;
    }

    private static TransposeDecomposition between(int[] sizes, int... wanted) {
        int[] start = LoweringContext.identity(sizes.length);
        return Arrays.equals(start, wanted)
                ? new TransposeDecomposition(List.of(), 0)
                : sizes.length <= NnapiBuilder.MAX_RANK
                        ? direct(sizes, wanted)
                        : sizes.length <= SEARCHED ? cheapest(sizes, wanted) : oneByOne(sizes, wanted);
    }

    private static TransposeDecomposition direct(int[] sizes, int... wanted) {
        return new TransposeDecomposition(List.of(new Step(sizes, wanted)), elementCost(sizes, wanted));
    }

    /**
     * Elements that keep their neighbours move together; otherwise those of a tile do, as far as the last dimensions
     * before and after reach.
     */
    private static double elementCost(int[] dims, int... order) {
        int last = dims.length - 1;
        int together = order[last] == last ? dims[last] : Math.min(TILE, Math.min(dims[last], dims[order[last]]));
        return 1 + (double) ALONE / together;
    }

    /** An order that was reached, and by what. */
    private record Reached(int[] order, double cost, Reached before, Step step) {}

    /** The shortest way through all orders. */
    private static TransposeDecomposition cheapest(int[] sizes, int... wanted) {
        PriorityQueue<Reached> open = new PriorityQueue<>((a, b) -> Double.compare(a.cost(), b.cost()));
        Map<String, Double> best = new HashMap<>();
        List<int[]> cuts = cuts(sizes.length);
        List<List<int[]>> orders = IntStream.rangeClosed(0, NnapiBuilder.MAX_RANK)
                .mapToObj(TransposeDecomposition::orders)
                .collect(Streams.toList());
        open.add(new Reached(LoweringContext.identity(sizes.length), 0, null, null));
        while (true) {
            Reached now = open.remove();
            if (Arrays.equals(now.order(), wanted)) {
                List<Step> steps = new ArrayList<>();
                for (Reached at = now; at.before() != null; at = at.before()) {
                    steps.add(0, at.step());
                }
                return new TransposeDecomposition(steps, now.cost());
            }
            if (now.cost() > best.getOrDefault(Arrays.toString(now.order()), Double.MAX_VALUE)) {
                continue;
            }
            for (int[] cut : cuts) {
                int[] dims = IntStream.range(0, cut.length - 1)
                        .map(i -> product(sizes, now.order(), cut[i], cut[i + 1]))
                        .toArray();
                for (int[] order : orders.get(dims.length)) {
                    int[] next = Arrays.stream(order)
                            .flatMap(g -> Arrays.stream(now.order(), cut[g], cut[g + 1]))
                            .toArray();
                    double cost = now.cost() + elementCost(dims, order);
                    if (cost < best.getOrDefault(Arrays.toString(next), Double.MAX_VALUE)) {
                        best.put(Arrays.toString(next), cost);
                        open.add(new Reached(next, cost, now, new Step(dims, order)));
                    }
                }
            }
        }
    }

    /** The ways to cut a row of things into two to four parts, each by where parts begin and the last one ends. */
    private static List<int[]> cuts(int count) {
        List<int[]> out = new ArrayList<>();
        for (int set = 1; set < 1 << (count - 1); set++) {
            if (Integer.bitCount(set) < NnapiBuilder.MAX_RANK) {
                int chosen = set;
                out.add(IntStream.concat(
                                IntStream.concat(
                                        IntStream.of(0),
                                        IntStream.range(1, count).filter(i -> (chosen >> (i - 1) & 1) == 1)),
                                IntStream.of(count))
                        .toArray());
            }
        }
        return out;
    }

    /** All orders of so many things but the one they have. */
    private static List<int[]> orders(int count) {
        List<int[]> out = new ArrayList<>(List.of(new int[0]));
        for (int n = 0; n < count; n++) {
            List<int[]> longer = new ArrayList<>();
            for (int[] order : out) {
                for (int at = 0; at <= n; at++) {
                    int[] made = new int[n + 1];
                    System.arraycopy(order, 0, made, 0, at);
                    made[at] = n;
                    System.arraycopy(order, at, made, at + 1, n - at);
                    longer.add(made);
                }
            }
            out = longer;
        }
        out.removeIf(order -> Arrays.equals(order, LoweringContext.identity(count)));
        return out;
    }

    private static int product(int[] sizes, int[] order, int from, int to) {
        return Arrays.stream(order, from, to).map(b -> sizes[b]).reduce(1, Math::multiplyExact);
    }

    /** One block after the other changes places with those before it. */
    private static TransposeDecomposition oneByOne(int[] sizes, int... wanted) {
        List<Step> steps = new ArrayList<>();
        double cost = 0;
        List<Integer> now = new ArrayList<>();
        IntStream.range(0, sizes.length).forEach(now::add);
        for (int i = 0; i < wanted.length; i++) {
            int at = now.indexOf(wanted[i]);
            if (at != i) {
                int[] order = now.stream().mapToInt(b -> b).toArray();
                int[] dims = {
                    product(sizes, order, 0, i),
                    product(sizes, order, i, at),
                    sizes[wanted[i]],
                    product(sizes, order, at + 1, order.length)
                };
                Step step = new Step(dims, new int[] {0, 2, 1, 3});
                steps.add(step);
                cost += elementCost(step.dims(), step.order());
                now.add(i, now.remove(at));
            }
        }
        return new TransposeDecomposition(steps, cost);
    }
}
