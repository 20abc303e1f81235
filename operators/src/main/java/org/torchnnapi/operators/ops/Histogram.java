package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.reals;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptList;

/** Counts of elements, or of points, between edges; the last bin has its right edge too. */
public final class Histogram implements OperatorFamily {
    private static final long MAX_BINS = 1 << 26;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
                        + "density=False) -> (Tensor hist, "
                        + "Tensor bin_edges)",
                a -> flat(
                        tensor(a, 0),
                        edges(tensor(a, 0), new int[] {int32(a, 1)}, a[2] == null ? null : reals(a, 2), 1),
                        a));
        r.op(
                "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) "
                        + "-> (Tensor hist, Tensor bin_edges)",
                a -> flat(tensor(a, 0), List.of(Elements.doubles(tensor(a, 1))), new Object[] {
                    a[0], a[1], null, a[2], a[3]
                }));
        r.op(
                "aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool "
                        + "density=False) -> (Tensor hist, Tensor[] bin_edges)",
                a -> points(
                        tensor(a, 0),
                        edges(
                                tensor(a, 0),
                                ints(a, 1),
                                a[2] == null ? null : reals(a, 2),
                                tensor(a, 0).size(-1)),
                        a));
        r.op(
                "aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool "
                        + "density=False) -> (Tensor hist, "
                        + "Tensor[] bin_edges)",
                a -> {
                    int[] bins = new int[tensor(a, 0).size(-1)];
                    Arrays.fill(bins, int32(a, 1));
                    return points(
                            tensor(a, 0), edges(tensor(a, 0), bins, a[2] == null ? null : reals(a, 2), bins.length), a);
                });
        r.op(
                "aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? "
                        + "weight=None, bool density=False) -> (Tensor hist, "
                        + "Tensor[] bin_edges)",
                a -> points(
                        tensor(a, 0),
                        tensors(a, 1).stream().map(Elements::doubles).collect(Streams.toList()),
                        a));
    }

    private static List<double[]> edges(Tensor t, int[] bins, double[] range, int dims) {
        if (bins.length != dims || range != null && range.length != 2 * dims) {
            throw new IllegalArgumentException("histogram: bins of " + bins.length + " dimensions (expected: " + dims
                    + ", and two ends of the range for each)");
        }
        double[] values = Elements.doubles(t);
        List<double[]> all = new ArrayList<>();
        for (int d = 0; d < dims; d++) {
            if (bins[d] < 1 || bins[d] > MAX_BINS) {
                throw new IllegalArgumentException("histogram: bins must be > 0, but got " + bins[d]);
            }
            double low = range == null ? Double.POSITIVE_INFINITY : range[2 * d];
            double high = range == null ? Double.NEGATIVE_INFINITY : range[2 * d + 1];
            for (int i = d; range == null && i < values.length; i += dims) {
                low = Math.min(low, values[i]);
                high = Math.max(high, values[i]);
            }
            if (values.length == 0 && range == null) {
                low = 0;
                high = 1;
            }
            if (low == high) {
                low -= 0.5;
                high += 0.5;
            }
            if (!(low < high) || !Double.isFinite(high - low)) {
                throw new IllegalArgumentException(
                        "histogram: range of [" + low + ", " + high + "] is not finite or min exceeds max");
            }
            double[] edges = new double[bins[d] + 1];
            for (int i = 0; i < edges.length; i++) {
                edges[i] = i < edges.length / 2
                        ? low + (high - low) / bins[d] * i
                        : high - (high - low) / bins[d] * (bins[d] - i);
            }
            all.add(edges);
        }
        return all;
    }

    private static Object[] flat(Tensor t, List<double[]> edges, Object[] a) {
        Tensor counts = count(Elements.doubles(t), 1, edges, tensorOrNull(a, 3), flag(a, 4), t);
        return new Object[] {counts, Elements.ofDoubles(t.dtype(), edges.get(0), edges.get(0).length)};
    }

    private static Object[] points(Tensor t, List<double[]> edges, Object[] a) {
        if (a[1] instanceof ScriptList bins) {
            for (int d = 0; d < bins.size(); d++) {
                if (bins.items().get(d) instanceof Tensor edge && edge.rank() != 1) {
                    throw new IllegalArgumentException(
                            "torch.histogramdd: bins tensor should have one dimension, but got " + edge.rank()
                                    + " dimensions in the bins tensor for dimension " + d);
                }
            }
        }
        if (t.rank() < 2 || edges.size() != t.size(-1)) {
            throw new IllegalArgumentException("histogramdd: bins of " + edges.size() + " dimensions for " + t
                    + " (expected: as many as the last dimension has)");
        }
        Tensor weight = tensorOrNull(a, 3);
        int[] points = Arrays.copyOf(t.sizes(), t.rank() - 1);
        if (weight != null && !Arrays.equals(weight.sizes(), points)) {
            throw new IllegalArgumentException("histogramdd: weight of sizes " + Arrays.toString(weight.sizes())
                    + " (expected: " + Arrays.toString(points) + ", one for each point)");
        }
        Tensor counts = count(Elements.doubles(t), edges.size(), edges, weight, flag(a, 4), t);
        return new Object[] {
            counts,
            Args.list(edges.stream()
                    .map(e -> Elements.ofDoubles(t.dtype(), e, e.length))
                    .collect(Streams.toList()))
        };
    }

    private static Tensor count(
            double[] values, int dims, List<double[]> edges, Tensor weight, boolean density, Tensor t) {
        int[] sizes = edges.stream().mapToInt(e -> e.length - 1).toArray();
        double[] counts = new double[Tensors.count(sizes)];
        double[] weights = weight == null ? null : Elements.doubles(weight);
        double total = 0;
        for (int point = 0; point < values.length / dims; point++) {
            int place = 0;
            for (int d = 0; d < dims && place >= 0; d++) {
                int bin = bin(edges.get(d), values[point * dims + d]);
                place = bin < 0 ? -1 : place * sizes[d] + bin;
            }
            if (place >= 0) {
                double own = weights == null ? 1 : weights[point];
                counts[place] += own;
                total += own;
            }
        }
        for (int i = 0; density && i < counts.length; i++) {
            double volume = 1;
            for (int d = dims - 1, rest = i; d >= 0; d--) {
                int bin = rest % sizes[d];
                rest /= sizes[d];
                volume *= edges.get(d)[bin + 1] - edges.get(d)[bin];
            }
            counts[i] /= total * volume;
        }
        return Elements.ofDoubles(t.dtype(), counts, sizes);
    }

    private static int bin(double[] edges, double value) {
        int last = edges.length - 1;
        if (!(value >= edges[0] && value <= edges[last])) {
            return -1;
        }
        // The first edge above the value, by halves, so that edges in no order give what they give in PyTorch.
        int above = 0;
        for (int left = edges.length; left > 0; ) {
            int half = left / 2;
            boolean before = !(value < edges[above + half]);
            above = before ? above + half + 1 : above;
            left = before ? left - half - 1 : half;
        }
        return Math.min(above, last) - 1;
    }
}
