package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.textOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Which values occur, how often, and where they would stand: unique, counts, histograms, searches in sorted sequences.
 */
public final class Unique implements OperatorFamily {
    /** Of a slice beside its elements: headers, references, its place and counts. */
    private static final long SLICE_BYTES = 64;

    private static final int MAX_BINS = 1 << 26;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False)"
                        + " -> (Tensor, Tensor, Tensor)",
                a -> unique(tensor(a, 0), true, flag(a, 3)),
                OperatorTrait.DATA_DEPENDENT);
        r.op(
                "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? "
                        + "dim=None)"
                        + " -> (Tensor, Tensor, Tensor)",
                a -> {
                    return a[3] != null
                            ? uniqueSlices(tensor(a, 0), integer(a, 3), false)
                            : unique(tensor(a, 0), false, flag(a, 2));
                },
                OperatorTrait.DATA_DEPENDENT);
        r.op(
                "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool "
                        + "return_counts=False) -> (Tensor, Tensor, Tensor)",
                a -> uniqueSlices(tensor(a, 0), integer(a, 1), true),
                OperatorTrait.DATA_DEPENDENT);
        r.op(
                "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool "
                        + "return_counts=False) -> (Tensor, Tensor, Tensor)",
                a -> uniqueSlices(tensor(a, 0), integer(a, 1), false),
                OperatorTrait.DATA_DEPENDENT);
        r.composite(
                "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
                        + "invert=False) -> Tensor",
                a -> contained(tensor(a, 0), tensor(a, 1), flag(a, 3)),
                """
            found = torch.any(torch.eq(torch.unsqueeze(elements, -1), torch.reshape(test_elements, [-1])), -1)
            if invert:
              result = torch.logical_not(found)
            else:
              result = found
            return result""",
                OperatorTrait.TESTS);
        r.composite(
                "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool "
                        + "invert=False) -> Tensor",
                a -> contained(tensor(a, 0), Tensors.ofNumber(scalar(a, 1)), flag(a, 3)),
                """
            if invert:
              result = torch.ne(elements, test_element)
            else:
              result = torch.eq(elements, test_element)
            return result""",
                OperatorTrait.TESTS);
        r.op(
                "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool "
                        + "invert=False) -> Tensor",
                a -> contained(Tensors.ofNumber(scalar(a, 0)), tensor(a, 1), flag(a, 3)),
                OperatorTrait.TESTS);
        r.op(
                "aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor",
                a -> bincount(tensor(a, 0), tensorOrNull(a, 1), int32(a, 2)),
                OperatorTrait.DATA_DEPENDENT);
        r.composite(
                "aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
                a -> histogram(tensor(a, 0), int32(a, 1), real(a, 2), real(a, 3)),
                """
            if torch.eq(float(min), float(max)):
              least, most = torch.min(self), torch.max(self)
            else:
              least, most = torch.scalar_tensor(min, dtype=ops.prim.dtype(self)), torch.scalar_tensor(max, \
            dtype=ops.prim.dtype(self))
            same = torch.to(torch.eq(least, most), ops.prim.dtype(self))
            low, high = torch.sub(least, same), torch.add(most, same)
            values = torch.reshape(self, [-1, 1])
            way = torch.div(torch.sub(values, low), torch.sub(high, low))
            place = torch.clamp(torch.floor(torch.mul(way, bins)), 0, torch.sub(bins, 1))
            inside = torch.logical_and(torch.ge(values, low), torch.le(values, high))
            hits = torch.logical_and(torch.eq(place, torch.arange(bins, dtype=ops.prim.dtype(self))), inside)
            return torch.sum(torch.to(hits, ops.prim.dtype(self)), [0])""");
        r.composite(
                "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, "
                        + "bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
                a -> search(sorted(a), tensor(a, 1), flag(a, 2), right(a)),
                """
            if torch.__is__(sorter, None):
              sequence = sorted_sequence
            else:
              sequence = torch.gather(sorted_sequence, -1, unchecked_cast(Tensor, sorter))
            if torch.__is__(side, None):
              behind = right
            else:
              behind = torch.eq(unchecked_cast(str, side), "right")
            values = torch.unsqueeze(self, -1)
            if torch.gt(torch.dim(sequence), 1):
              boundaries = torch.unsqueeze(sequence, -2)
            else:
              boundaries = sequence
            if behind:
              before = torch.le(boundaries, values)
            else:
              before = torch.lt(boundaries, values)
            count = torch.sum(before, [-1])
            if out_int32:
              result = torch.to(count, 3)
            else:
              result = count
            return result""");
        r.op(
                "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, "
                        + "bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
                a -> search(sorted(a), Tensors.ofNumber(scalar(a, 1)), flag(a, 2), right(a)));
        r.composite(
                "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) "
                        + "-> Tensor",
                a -> search(boundaries(a), tensor(a, 0), flag(a, 2), flag(a, 3)),
                """
            values = torch.unsqueeze(self, -1)
            if right:
              before = torch.le(boundaries, values)
            else:
              before = torch.lt(boundaries, values)
            count = torch.sum(before, [-1])
            if out_int32:
              result = torch.to(count, 3)
            else:
              result = count
            return result""");
        r.op(
                "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) "
                        + "-> Tensor",
                a -> search(boundaries(a), Tensors.ofNumber(scalar(a, 0)), flag(a, 2), flag(a, 3)));
    }

    private static Tensor boundaries(Object[] a) {
        if (tensor(a, 1).rank() != 1) {
            throw new IllegalArgumentException("boundaries tensor must be 1 dimension, but got dim("
                    + tensor(a, 1).rank() + ")");
        }
        return tensor(a, 1);
    }

    /** Values, for each element the place of its value, and how often each occurs. */
    private static Object unique(Tensor t, boolean sorted, boolean counted) {
        // Real numbers do not tell all whole ones of 64 bits apart.
        long[] whole = t.dtype().isIntegral() ? Elements.longs(t) : null;
        double[] real = whole == null ? Elements.doubles(t) : null;
        int length = (int) t.numel();
        Integer[] order = new Integer[length];
        Arrays.setAll(order, i -> i);
        if (sorted) {
            Arrays.sort(
                    order,
                    (x, y) -> whole != null ? Long.compare(whole[x], whole[y]) : Double.compare(real[x], real[y]));
        }
        int[] first = new int[length];
        long[] inverse = new long[length];
        long[] counts = new long[length];
        int count = 0;
        for (Integer i : order) {
            int last = count == 0 ? -1 : first[count - 1];
            if (last < 0 || (whole != null ? whole[last] != whole[i] : real[last] != real[i])) {
                first[count++] = i;
            }
            inverse[i] = count - 1;
            counts[count - 1]++;
        }
        int[] places = Arrays.copyOf(first, count);
        return new Object[] {
            whole != null
                    ? Elements.ofLongs(
                            t.dtype(),
                            Arrays.stream(places).mapToLong(i -> whole[i]).toArray(),
                            count)
                    : Elements.ofDoubles(
                            t.dtype(),
                            Arrays.stream(places).mapToDouble(i -> real[i]).toArray(),
                            count),
            Elements.ofLongs(DType.INT64, inverse, t.sizes()),
            counted ? Elements.ofLongs(DType.INT64, Arrays.copyOf(counts, count), count) : Tensor.zeros(DType.INT64, 0)
        };
    }

    /**
     * Slices along a dimension, for each the place of its equal, and how often each occurs; in the order of their
     * elements, or as they come.
     */
    private static Object uniqueSlices(Tensor t, long dim, boolean sorted) {
        int d = Shape.wrap(dim, t.rank());
        int count = t.size(d);
        for (int i = 0; i < t.rank(); i++) {
            if (i != d && t.size(i) == 0) {
                throw new IllegalArgumentException("unique: sizes " + Arrays.toString(t.sizes())
                        + " (expected: elements in each slice along dimension " + d + ")");
            }
        }
        Tensors.requireRoom(
                count + " slices of " + Arrays.toString(t.sizes()), SLICE_BYTES * count + Double.BYTES * t.numel());
        double[][] slices = new double[count][];
        Integer[] order = new Integer[count];
        // PyTorch compares slices with the dimension exchanged for the first.
        int[] exchanged = new int[t.rank()];
        Arrays.setAll(exchanged, k -> k == 0 ? d : k == d ? 0 : k);
        Tensor turned = t.permute(exchanged);
        for (int i = 0; i < count; i++) {
            slices[i] = Elements.doubles(TensorViews.select(turned, 0, i)).clone();
            order[i] = i;
        }
        if (sorted) {
            Arrays.sort(order, (x, y) -> compare(slices[x], slices[y]));
        }
        long[] inverse = new long[count];
        long[] counts = new long[count];
        long[] kept = new long[count];
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (i == 0 || !Arrays.equals(slices[order[i]], slices[order[i - 1]])) {
                kept[found++] = order[i];
            }
            inverse[order[i]] = found - 1;
            counts[found - 1]++;
        }
        Tensor places = Elements.ofLongs(DType.INT64, Arrays.copyOf(kept, found), found);
        // Slices are put together along the first dimension.
        Tensor taken = TensorAdvancedIndexing.take(t.permute(first(t.rank(), d)), 0, places);
        int[] back = new int[t.rank()];
        Arrays.setAll(back, k -> k == d ? 0 : k < d ? k + 1 : k);
        return new Object[] {
            taken.permute(back),
            Elements.ofLongs(DType.INT64, inverse, count),
            Elements.ofLongs(DType.INT64, Arrays.copyOf(counts, found), found)
        };
    }

    /** An order of dimensions that begins with one of them. */
    private static int[] first(int rank, int dim) {
        int[] order = new int[rank];
        Arrays.setAll(order, k -> k == 0 ? dim : k <= dim ? k - 1 : k);
        return order;
    }

    private static Tensor bincount(Tensor t, Tensor weights, int least) {
        long[] values = Elements.longs(t);
        double[] w = weights == null ? null : Elements.doubles(weights);
        if (t.rank() != 1 || !t.dtype().isIntegral() || least < 0 || w != null && w.length != values.length) {
            throw new IllegalArgumentException("bincount only supports 1-d non-negative integral inputs.");
        }
        long max = least - 1L;
        for (long value : values) {
            if (value < 0 || value >= MAX_BINS) {
                throw new IllegalArgumentException("bincount: " + value + " (expected: 0 to " + (MAX_BINS - 1) + ")");
            }
            max = Math.max(max, value);
        }
        double[] sums = new double[Tensors.count((int) max + 1)];
        for (int i = 0; i < values.length; i++) {
            sums[(int) values[i]] += w == null ? 1 : w[i];
        }
        DType type = w == null ? DType.INT64 : weights.dtype() == DType.FLOAT32 ? DType.FLOAT32 : DType.FLOAT64;
        return Elements.ofDoubles(type, sums, sums.length);
    }

    /** Equal bounds stand for the least and greatest element. */
    private static Tensor histogram(Tensor t, int bins, double low, double high) {
        if (bins < 1 || bins > MAX_BINS || !(low <= high)) {
            throw new IllegalArgumentException("histc: " + bins + " bins from " + low + " to " + high
                    + " (expected: at least one bin, rising bounds)");
        }
        double[] all = Elements.doubles(t);
        double from = low;
        double to = high;
        if (low == high && all.length > 0) {
            from = Arrays.stream(all).min().getAsDouble();
            to = Arrays.stream(all).max().getAsDouble();
        }
        if (from == to) {
            from -= 1;
            to += 1;
        }
        DType type = t.dtype();
        from = ElementRounding.to(type, from);
        to = ElementRounding.to(type, to);
        double width = ElementRounding.to(type, to - from);
        double number = ElementRounding.to(type, bins);
        double[] counts = new double[bins];
        for (double x : all) {
            if (!(x < from || x > to)) {
                double place = ElementRounding.to(
                        type, ElementRounding.to(type, ElementRounding.to(type, x - from) / width) * number);
                // What is not a number counts as the least, as in PyTorch.
                int bin = Math.min((int) place, bins - 1);
                // A count in bfloat16 stays at 256.
                counts[bin] = ElementRounding.to(type, counts[bin] + 1);
            }
        }
        return Elements.ofDoubles(t.dtype(), counts, bins);
    }

    private static Tensor contained(Tensor elements, Tensor among, boolean inverted) {
        if (elements.dtype().isIntegral() && among.dtype().isIntegral()) {
            long[] sorted = Elements.longs(among).clone();
            Arrays.sort(sorted);
            long[] found = Arrays.stream(Elements.longs(elements))
                    .map(x -> Arrays.binarySearch(sorted, x) >= 0 != inverted ? 1 : 0)
                    .toArray();
            return Elements.ofLongs(DType.BOOL, found, elements.sizes());
        }
        double[] sorted = Elements.doubles(among).clone();
        Arrays.sort(sorted);
        return Pointwise.unary(elements, DType.BOOL, x -> {
            // Zeros of either sign are equal, and nothing equals what is not a number.
            boolean found =
                    x == x && (Arrays.binarySearch(sorted, x) >= 0 || x == 0 && Arrays.binarySearch(sorted, -x) >= 0);
            return found != inverted ? 1 : 0;
        });
    }

    private static boolean right(Object[] a) {
        String side = textOrNull(a, 4);
        if (side != null && !side.equals("left") && !side.equals("right") || flag(a, 3) && "left".equals(side)) {
            throw new IllegalArgumentException("torch.searchsorted(): side " + side + " with right " + flag(a, 3)
                    + " (expected: left or right, not left with right)");
        }
        return flag(a, 3) || "right".equals(side);
    }

    /** The sequences in the order that a sorter gives, if there is one. */
    private static Tensor sorted(Object[] a) {
        Tensor sequences = tensor(a, 0);
        Tensor sorter = tensorOrNull(a, 5);
        if (sorter == null) {
            return sequences;
        }
        if (sorter.dtype() != DType.INT64 || !Arrays.equals(sorter.sizes(), sequences.sizes())) {
            throw new IllegalArgumentException(
                    "torch.searchsorted(): sorter of " + sorter.dtype().torchName() + " and sizes "
                            + Arrays.toString(sorter.sizes()) + " (expected: int64 and the boundaries' sizes "
                            + Arrays.toString(sequences.sizes()) + ")");
        }
        return ScatterGather.gather(sequences, -1, sorter);
    }

    /** One row of boundaries serves values of any sizes; several serve one row of values each. */
    private static void requireRows(Tensor sequences, Tensor values) {
        if (sequences.dtype() == DType.BOOL) {
            throw new IllegalArgumentException("torch.searchsorted(): boundaries of bool (expected: numbers)");
        }
        int rank = sequences.rank();
        boolean alike = rank > 0
                && values.rank() == rank
                && Arrays.equals(Arrays.copyOf(sequences.sizes(), rank - 1), Arrays.copyOf(values.sizes(), rank - 1));
        if (rank != 1 && !alike) {
            throw new IllegalArgumentException("torch.searchsorted(): boundaries "
                    + Arrays.toString(sequences.sizes()) + " and values " + Arrays.toString(values.sizes())
                    + " (expected: boundaries of one dimension, or sizes that differ in the last one alone)");
        }
    }

    /** For each value the first place in its row that is not less (or, on the right side, greater). */
    private static Tensor search(Tensor sequences, Tensor values, boolean int32, boolean right) {
        requireRows(sequences, values);
        boolean whole = sequences.dtype().isIntegral() && values.dtype().isIntegral();
        long[] bounds = whole ? Elements.longs(sequences) : null;
        long[] wanted = whole ? Elements.longs(values) : null;
        double[] s = Elements.doubles(sequences);
        double[] v = Elements.doubles(values);
        int length = sequences.size(-1);
        boolean shared = sequences.rank() == 1;
        int perRow = shared ? v.length : values.size(-1);
        long[] out = new long[v.length];
        for (int i = 0; i < v.length; i++) {
            int base = shared ? 0 : i / perRow * length;
            int low = 0;
            int high = length;
            while (low < high) {
                int middle = low + high >>> 1;
                double x = s[base + middle];
                // NaN comes behind all numbers.
                boolean before = whole
                        ? right ? bounds[base + middle] <= wanted[i] : bounds[base + middle] < wanted[i]
                        : right ? !(x > v[i]) : !(x >= v[i]);
                if (before) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            out[i] = low;
        }
        return Elements.ofLongs(int32 ? DType.INT32 : DType.INT64, out, values.sizes());
    }

    /** By the first elements that differ. Both have as many. */
    private static int compare(double[] a, double[] b) {
        for (int i = 0; i < a.length; i++) {
            int order = Double.compare(a[i], b[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
