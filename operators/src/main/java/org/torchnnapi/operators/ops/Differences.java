package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dim;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Differences of neighbours, areas under sampled curves, and cross products. */
public final class Differences implements OperatorFamily {
    /** Between neighbours of {@code x}, along the dimension of {@code y}. */
    private static final String DISTANCES = """
        if torch.eq(torch.dim(x), 1):
          own = torch.remainder(torch.add(dim, torch.dim(y)), torch.dim(y))
          ones = torch.mul([1], torch.sub(torch.sub(torch.dim(y), own), 1))
          step = torch.reshape(torch.diff(x), torch.add([-1], ones))
        else:
          step = torch.diff(x, 1, dim)
        """;

    private static final String AREAS = """
        last = torch.sub(torch.size(y, dim), 1)
        sums = torch.add(torch.narrow(y, dim, 0, last), torch.narrow(y, dim, 1, last))
        areas = torch.div(torch.mul(sums, step), 2.)
        """;

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
                a -> diff(
                        tensor(a, 0),
                        integer(a, 1),
                        dim(a, 2, tensor(a, 0).rank()),
                        tensorOrNull(a, 3),
                        tensorOrNull(a, 4)),
                """
            parts = annotate(List[Tensor], [])
            if torch.__isnot__(prepend, None):
              _0 = torch.append(parts, unchecked_cast(Tensor, prepend))
            else:
              _1 = 0
            _2 = torch.append(parts, self)
            if torch.__isnot__(append, None):
              _3 = torch.append(parts, unchecked_cast(Tensor, append))
            else:
              _4 = 0
            if torch.eq(torch.len(parts), 1):
              result = self
            else:
              result = torch.cat(parts, dim)
            for i in range(n):
              last = torch.sub(torch.size(result, dim), 1)
              result = torch.sub(torch.narrow(result, dim, 1, last), torch.narrow(result, dim, 0, last))
            return result""");
        r.composite(
                "aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
                a -> cross(tensor(a, 0), tensor(a, 1), integerOrNull(a, 2)),
                """
            if torch.__is__(dim, None):
              along = -1
              for i in range(torch.dim(self)):
                if torch.__and__(torch.eq(along, -1), torch.eq(torch.size(self, i), 3)):
                  along = i
                else:
                  along = along
            else:
              along = unchecked_cast(int, dim)
            return torch.linalg_cross(self, other, dim=along)""");
        r.composite(
                "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
                a -> cross(tensor(a, 0), tensor(a, 1), integer(a, 2)),
                """
            a = torch.roll(self, [-1], [dim])
            b = torch.roll(other, [-2], [dim])
            c = torch.roll(self, [-2], [dim])
            d = torch.roll(other, [-1], [dim])
            return torch.sub(torch.mul(a, b), torch.mul(c, d))""");
        for (String name : List.of("trapezoid", "trapz")) {
            r.composite(
                    "aten::" + name + ".x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
                    a -> {
                        Tensor y = tensor(a, 0);
                        long[] dims = {integer(a, 2)};
                        return y.size(dims[0]) == 0
                                ? ReduceOps.sum(y, dims, false, y.dtype())
                                : ReduceOps.sum(areas(y, tensor(a, 1), dims[0]), dims, false, null);
                    },
                    DISTANCES + AREAS + "return torch.sum(areas, [dim])");
            r.composite(
                    "aten::" + name + ".dx(Tensor y, *, " + (name.equals("trapz") ? "float" : "Scalar")
                            + " dx=1, int dim=-1) -> Tensor",
                    """
            if torch.eq(torch.size(y, dim), 0):
              area = torch.sum(y, [dim], dtype=ops.prim.dtype(y))
            else:
              ends = torch.add(torch.select(y, dim, 0), torch.select(y, dim, -1))
              area = torch.mul(torch.sub(torch.sum(y, [dim]), torch.mul(ends, 0.5)), dx)
            return area""");
        }
        r.composite(
                "aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
                a -> Cumulative.sum(
                        areas(tensor(a, 0), tensor(a, 1), integer(a, 2)),
                        dim(a, 2, tensor(a, 0).rank())),
                DISTANCES + AREAS + "return torch.cumsum(areas, dim)");
        r.composite(
                "aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
                a -> Cumulative.sum(
                        areas(tensor(a, 0), scalar(a, 1), integer(a, 2)),
                        dim(a, 2, tensor(a, 0).rank())),
                AREAS.replace("step)", "dx)") + "return torch.cumsum(areas, dim)");
    }

    private static Tensor diff(Tensor t, long times, int dim, Tensor before, Tensor after) {
        if (t.rank() == 0) {
            throw new IllegalArgumentException("diff expects input to be at least one-dimensional");
        }
        if (times < 0) {
            throw new IllegalArgumentException("order must be non-negative but got " + times);
        }
        List<Tensor> parts = new ArrayList<>();
        if (before != null) {
            parts.add(before);
        }
        parts.add(t);
        if (after != null) {
            parts.add(after);
        }
        Tensor out = parts.size() == 1 || times == 0 ? t : ConcatenationOperators.cat(parts, dim);
        for (long i = 0; i < times && out.size(dim) > 0; i++) {
            Tensor next = TensorViews.slice(out, dim, 1L, null, 1);
            Tensor own = TensorViews.narrow(out, dim, 0, out.size(dim) - 1);
            out = t.dtype() == DType.BOOL ? ComparisonOperators.differs(next, own) : BinaryOps.subtract(next, own, 1L);
        }
        return out;
    }

    /** Along the first dimension of 3 elements where none is named. */
    private static Tensor cross(Tensor a, Tensor b, Long dim) {
        int[] sizes = BroadcastShapes.shape(a.sizes(), b.sizes());
        Tensor x = BroadcastShapes.expand(a, sizes);
        Tensor y = BroadcastShapes.expand(b, sizes);
        long along = dim != null ? dim : first(sizes);
        if (x.size(along) != 3) {
            throw new IllegalArgumentException("cross: inputs dimension " + along + " must have length 3. Got "
                    + x.size(along) + " and " + y.size(along));
        }
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            int k = (i + 2) % 3;
            parts.add(BinaryOps.subtract(
                    BinaryOps.multiply(TensorViews.select(x, along, j), TensorViews.select(y, along, k)),
                    BinaryOps.multiply(TensorViews.select(x, along, k), TensorViews.select(y, along, j)),
                    1L));
        }
        return ConcatenationOperators.stack(parts, along);
    }

    private static int first(int[] sizes) {
        for (int d = 0; d < sizes.length; d++) {
            if (sizes[d] == 3) {
                return d;
            }
        }
        throw new IllegalArgumentException("no dimension of size 3 in input: " + Arrays.toString(sizes));
    }

    /** Of the trapezia between neighbours. @param width the abscissae, or the distance of all neighbours */
    private static Tensor areas(Tensor y, Object width, long dim) {
        int last = y.size(dim) - 1;
        Tensor sums = BinaryOps.add(
                TensorViews.narrow(y, dim, 0, Math.max(last, 0)), TensorViews.slice(y, dim, 1L, null, 1), 1L);
        Object step = width;
        if (width instanceof Tensor x) {
            long along = x.rank() == 1 ? 0 : dim;
            Tensor distances = diff(x, 1, (int) (along < 0 ? along + x.rank() : along), null, null);
            int axis = (int) (dim < 0 ? dim + y.rank() : dim);
            if (x.rank() == 1) {
                int[] sizes = new int[y.rank()];
                Arrays.fill(sizes, 1);
                sizes[axis] = distances.sizes()[0];
                distances = TensorViews.reshape(distances, sizes);
            }
            step = distances;
        }
        return BinaryOps.divide(BinaryOps.multiply(sums, step), 2.0, null);
    }
}
