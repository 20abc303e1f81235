package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Values below which given parts of the elements lie. */
public final class Quantiles implements OperatorFamily {
    private static final String ROWS = """
        if torch.__is__(dim, None):
          along = 0
          flat = torch.reshape(self, [-1])
        else:
          along = unchecked_cast(int, dim)
          flat = self
        if torch.eq(torch.dim(flat), 0):
          rows = torch.reshape(flat, [1])
        else:
          rows = flat
        """;
    /** Elements at places that the size of a row tells, and whether the row has numbers only. */
    private static final String AMONG_ALL = """
        sorted, places = torch.sort(rows, along)
        last = torch.sub(torch.size(rows, along), 1)
        rank = torch.mul(torch.scalar_tensor(q, dtype=ops.prim.dtype(self)), last)
        place = torch.floor(rank)
        weight = torch.sub(rank, place)
        below = torch.select(sorted, along, int(place))
        above = torch.select(sorted, along, int(torch.ceil(rank)))
        nearest = torch.select(sorted, along, int(torch.round(rank)))
        unknown = torch.any(torch.ne(rows, rows), along)
        """;
    /** The same at places among the numbers of a row, behind which the others are sorted as the largest. */
    private static final String AMONG_NUMBERS = """
        others = torch.ne(rows, rows)
        sorted, places = torch.sort(torch.masked_fill(rows, others, inf), along)
        count = torch.sum(torch.logical_not(others), [along], True)
        last = torch.clamp_min(torch.sub(count, 1), 0)
        rank = torch.mul(torch.to(last, ops.prim.dtype(self)), q)
        place = torch.floor(rank)
        weight = torch.squeeze(torch.sub(rank, place), along)
        below = torch.squeeze(torch.gather(sorted, along, torch.to(place, 4)), along)
        above = torch.squeeze(torch.gather(sorted, along, torch.to(torch.ceil(rank), 4)), along)
        nearest = torch.squeeze(torch.gather(sorted, along, torch.to(torch.round(rank), 4)), along)
        unknown = torch.squeeze(torch.eq(count, 0), along)
        """;

    private static final String BETWEEN = """
        if torch.eq(interpolation, "lower"):
          value = below
        else:
          if torch.eq(interpolation, "higher"):
            value = above
          else:
            if torch.eq(interpolation, "nearest"):
              value = nearest
            else:
              if torch.eq(interpolation, "midpoint"):
                value = torch.div(torch.add(below, above), 2.)
              else:
                step = torch.mul(torch.sub(above, below), weight)
                value = torch.where(torch.eq(below, above), below, torch.add(below, step))
        result = torch.masked_fill(value, unknown, nan)
        if keepdim:
          if torch.__is__(dim, None):
            kept = torch.reshape(result, torch.mul([1], torch.dim(self)))
          else:
            kept = torch.reshape(result, torch.size(torch.narrow(self, along, 0, 1)))
        else:
          kept = result
        return kept""";

    @Override
    public void register(Registrar r) {
        for (boolean skipsNan : new boolean[] {false, true}) {
            String name = "aten::" + (skipsNan ? "nan" : "") + "quantile";
            String rest = ", int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor";
            String one = name.replace("aten::", "torch.") + "(self, %s, dim, keepdim, interpolation=interpolation)";
            r.composite(
                    name + "(Tensor self, Tensor q" + rest,
                    a -> quantiles(
                            a, Elements.doubles(tensor(a, 1)), tensor(a, 1).rank() == 0, skipsNan),
                    """
                if torch.eq(torch.dim(q), 0):
                  result = ONE
                else:
                  parts = annotate(List[Tensor], [])
                  for i in range(torch.size(q, 0)):
                    _0 = torch.append(parts, EACH)
                  result = torch.stack(parts)
                return result""".replace("ONE", String.format(one, "float(q)"))
                            .replace("EACH", String.format(one, "float(torch.select(q, 0, i))")));
            r.composite(
                    name + ".scalar(Tensor self, float q" + rest,
                    a -> quantiles(a, new double[] {real(a, 1)}, true, skipsNan),
                    ROWS + (skipsNan ? AMONG_NUMBERS : AMONG_ALL) + BETWEEN);
        }
        r.op("aten::nanmedian(Tensor self) -> Tensor", a -> median(tensor(a, 0)));
        r.op(
                "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> medians(
                        ReducedRows.along(tensor(a, 0), integer(a, 1)).requireElements("nanmedian"),
                        tensor(a, 0).dtype(),
                        flag(a, 2)));
    }

    private static Tensor quantiles(Object[] a, double[] parts, boolean single, boolean skipsNan) {
        Tensor t = tensor(a, 0);
        if (t.dtype() != DType.FLOAT32 && t.dtype() != DType.FLOAT64 || t.numel() == 0) {
            throw new IllegalArgumentException(
                    t.numel() == 0
                            ? "quantile() input tensor must be non-empty"
                            : "quantile() input tensor must be either float or double dtype");
        }
        if (a[1] instanceof Tensor q && q.rank() > 1) {
            throw new IllegalArgumentException("quantile() q must be a scalar or 1D tensor");
        }
        for (double q : parts) {
            if (!(q >= 0 && q <= 1)) {
                throw new IllegalArgumentException("quantile() q must be in the range [0, 1] but got " + q);
            }
        }
        Long dim = integerOrNull(a, 2);
        ReducedRows rows = ReducedRows.of(t, dim == null ? null : new long[] {dim});
        String interpolation = text(a, 4);
        double[] all = rows.doubles();
        double[] out = new double[parts.length * rows.count()];
        for (int i = 0; i < rows.count(); i++) {
            double[] row = Arrays.copyOfRange(all, i * rows.length(), (i + 1) * rows.length());
            Arrays.sort(row);
            int numbers = row.length;
            while (numbers > 0 && Double.isNaN(row[numbers - 1])) {
                numbers--;
            }
            boolean unknown = numbers == 0 || !skipsNan && numbers < row.length;
            for (int k = 0; k < parts.length; k++) {
                out[k * rows.count() + i] =
                        unknown ? Double.NaN : at(row, numbers, parts[k], interpolation, t.dtype() == DType.FLOAT32);
            }
        }
        int[] own = rows.sizes(flag(a, 3));
        int[] sizes = new int[own.length + 1];
        sizes[0] = parts.length;
        System.arraycopy(own, 0, sizes, 1, own.length);
        return Elements.ofDoubles(t.dtype(), out, single ? own : sizes);
    }

    /** Between the two nearest of the first {@code n} elements. */
    private static double at(double[] sorted, int n, double part, String interpolation, boolean single) {
        double rank = single ? (float) part * (n - 1) : part * (n - 1);
        double below = Math.floor(rank);
        double above = Math.ceil(rank);
        return switch (interpolation) {
            case "lower" -> sorted[(int) below];
            case "higher" -> sorted[(int) above];
            case "nearest" -> sorted[(int) Math.rint(rank)];
            case "midpoint" -> (sorted[(int) below] + sorted[(int) above]) / 2;
            case "linear" ->
                below == above
                        ? sorted[(int) below]
                        : sorted[(int) below] + (rank - below) * (sorted[(int) above] - sorted[(int) below]);
            default ->
                throw new IllegalArgumentException(
                        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                                + interpolation);
        };
    }

    private static Object medians(ReducedRows rows, DType type, boolean keepDims) {
        double[] all = rows.doubles();
        int n = rows.length();
        double[] values = new double[rows.count()];
        long[] indices = new long[rows.count()];
        for (int i = 0; i < values.length; i++) {
            int base = i * n;
            Integer[] order = new Integer[n];
            Arrays.setAll(order, k -> k);
            Arrays.sort(order, (x, y) -> Sorting.compare(all[base + x], all[base + y]));
            int numbers = n;
            while (numbers > 1 && Double.isNaN(all[base + order[numbers - 1]])) {
                numbers--;
            }
            indices[i] = order[(numbers - 1) / 2];
            values[i] = all[base + (int) indices[i]];
        }
        return new Object[] {
            Elements.ofDoubles(type, values, rows.sizes(keepDims)),
            Elements.ofLongs(DType.INT64, indices, rows.sizes(keepDims))
        };
    }

    /** The lower median of all elements that are numbers. */
    private static Tensor median(Tensor t) {
        double[] sorted = Elements.doubles(t).clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        while (n > 0 && Double.isNaN(sorted[n - 1])) {
            n--;
        }
        return Elements.ofDoubles(t.dtype(), new double[] {n == 0 ? Double.NaN : sorted[(n - 1) / 2]});
    }
}
