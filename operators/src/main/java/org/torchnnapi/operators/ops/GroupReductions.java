package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Reductions of the rows that an index gives the same place, and of runs of rows of given lengths. */
public final class GroupReductions implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool "
                        + "include_self=True) -> Tensor",
                a -> indexed(tensor(a, 0), integer(a, 1), tensor(a, 2), tensor(a, 3), text(a, 4), flag(a, 5)));
        r.op(
                "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, "
                        + "Tensor? offsets=None, int axis=0, "
                        + "bool unsafe=False, Scalar? initial=None) -> Tensor",
                a -> segments(
                        tensor(a, 0),
                        text(a, 1),
                        tensorOrNull(a, 2),
                        tensorOrNull(a, 4),
                        integer(a, 5),
                        realOrNull(a, 7)),
                OperatorTrait.DATA_DEPENDENT);
        r.composite(
                "aten::_no_grad_embedding_renorm_(Tensor weight, Tensor input, float max_norm, float norm_type) -> "
                        + "Tensor",
                """
            _0 = torch.embedding_renorm_(weight, input, max_norm, norm_type)
            return weight""");
        r.composite(
                "aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> "
                        + "Tensor(a!)",
                """
            rows, places, counts = torch._unique2(indices)
            taken = torch.index_select(self, 0, rows)
            norms = torch.linalg_vector_norm(taken, norm_type, [1], True)
            factors = torch.div(torch.full_like(norms, max_norm), torch.add(norms, 9.9999999999999995e-08))
            scaled = torch.mul(taken, torch.where(torch.gt(norms, max_norm), factors, torch.ones_like(norms)))
            return torch.index_copy_(self, 0, rows, scaled)""",
                OperatorTrait.DATA_DEPENDENT);
    }

    /** What a reduction begins with. */
    private static double start(String reduce) {
        return switch (reduce) {
            case "sum", "mean" -> 0;
            case "prod" -> 1;
            case "amax", "max" -> Double.NEGATIVE_INFINITY;
            case "amin", "min" -> Double.POSITIVE_INFINITY;
            default ->
                throw new IllegalArgumentException(
                        "reduce argument must be one of sum, prod, mean, max or min, got " + reduce);
        };
    }

    private static double combine(String reduce, double x, double y) {
        return switch (reduce) {
            case "prod" -> x * y;
            case "amax", "max" -> Math.max(x, y);
            case "amin", "min" -> Math.min(x, y);
            default -> x + y;
        };
    }

    private static int product(int[] sizes, int from, int to) {
        return Math.toIntExact(Shape.numel(Arrays.copyOfRange(sizes, from, to)));
    }

    private static Tensor indexed(
            Tensor t, long dim, Tensor index, Tensor source, String reduce, boolean includesSelf) {
        int d = Shape.wrap(dim, Math.max(t.rank(), 1));
        int[] sizes = t.rank() == 0 ? new int[] {1} : t.sizes();
        if (index.rank() > 1) {
            throw new IllegalArgumentException(
                    "index_reduce_(): index of sizes " + Arrays.toString(index.sizes()) + " (expected: a vector)");
        }
        if (source.dtype() != t.dtype()) {
            throw new IllegalArgumentException("index_reduce_(): source of "
                    + source.dtype().torchName() + " (expected: " + t.dtype().torchName() + ", as self has)");
        }
        long[] places = Elements.longs(index);
        int inner = product(sizes, d + 1, sizes.length);
        int outer = product(sizes, 0, d);
        double[] values = Elements.doubles(t).clone();
        double[] given = Elements.doubles(source);
        if (given.length != (long) outer * places.length * inner) {
            throw new IllegalArgumentException("index_reduce_(): source " + source + " (expected: " + places.length
                    + " rows along dimension " + d + ")");
        }
        double start = start(reduce);
        int[] counts = new int[values.length];
        Arrays.fill(counts, includesSelf ? 1 : 0);
        for (int o = 0; o < outer; o++) {
            for (int i = 0; i < places.length; i++) {
                if (places[i] < 0 || places[i] >= sizes[d]) {
                    throw new IndexOutOfBoundsException(
                            "index_reduce(): index " + places[i] + " (expected: 0 to " + (sizes[d] - 1) + ")");
                }
                for (int k = 0; k < inner; k++) {
                    int at = (o * sizes[d] + (int) places[i]) * inner + k;
                    double before = counts[at] == 0 ? start : values[at];
                    values[at] = combine(reduce, before, given[(o * places.length + i) * inner + k]);
                    counts[at]++;
                }
            }
        }
        for (int i = 0; reduce.equals("mean") && i < values.length; i++) {
            double mean = values[i] / Math.max(counts[i], 1);
            values[i] = t.dtype().isIntegral() ? Math.floor(mean) : mean;
        }
        return Elements.ofDoubles(t.dtype(), values, t.sizes());
    }

    /** Lengths or offsets have a row for each combination of the dimensions before the axis. */
    private static Tensor segments(Tensor t, String reduce, Tensor lengths, Tensor offsets, long axis, Double initial) {
        if (lengths == null && offsets == null) {
            throw new IllegalArgumentException("segment_reduce(): Either lengths or offsets must be defined.");
        }
        Tensor runs = lengths != null ? lengths : offsets;
        int d = Shape.wrap(axis, t.rank());
        int count = runs.size(-1) - (lengths != null ? 0 : 1);
        int outer = product(t.sizes(), 0, d);
        int inner = product(t.sizes(), d + 1, t.rank());
        int[] sizes = t.sizes().clone();
        sizes[d] = count;
        double[] values = Elements.doubles(t);
        long[] numbers = Elements.longs(runs);
        double[] out = new double[Tensors.count(sizes)];
        for (int o = 0; o < outer; o++) {
            long from = 0;
            for (int s = 0; s < count; s++) {
                from = lengths == null ? numbers[o * (count + 1) + s] : from;
                long to = lengths == null ? numbers[o * (count + 1) + s + 1] : from + numbers[o * count + s];
                if (from < 0 || to < from || to > t.size(d)) {
                    throw new IllegalArgumentException("segment_reduce(): segment from " + from + " to " + to
                            + " (expected: within " + t.size(d) + " rows)");
                }
                for (int k = 0; k < inner; k++) {
                    double result = initial == null ? start(reduce) : initial;
                    for (long i = from; i < to; i++) {
                        result = combine(reduce, result, values[(o * t.size(d) + (int) i) * inner + k]);
                    }
                    if (reduce.equals("mean")) {
                        result = to > from ? result / (to - from) : initial == null ? Double.NaN : result;
                    }
                    out[(o * count + s) * inner + k] = result;
                }
                from = to;
            }
        }
        return Elements.ofDoubles(t.dtype(), out, sizes);
    }
}
