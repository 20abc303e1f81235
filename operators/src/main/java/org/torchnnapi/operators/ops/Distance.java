package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Distances and similarities between vectors. */
public final class Distance implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
                a -> Moments.norm(difference(tensor(a, 0), tensor(a, 1), 0), real(a, 2), null, false, null),
                "return torch.linalg_vector_norm(torch.sub(self, other), p)");
        r.composite(
                "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, "
                        + "bool keepdim=False) -> Tensor",
                a -> pairwise(tensor(a, 0), tensor(a, 1), real(a, 2), real(a, 3), flag(a, 4)),
                "return torch.linalg_vector_norm(torch.add(torch.sub(x1, x2), eps), p, [-1], keepdim)");
        r.composite(
                "aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
                a -> cosine(tensor(a, 0), tensor(a, 1), integer(a, 2), real(a, 3)),
                """
            sizes = torch.size(torch.add(x1, x2))
            a = torch.expand(x1, sizes)
            b = torch.expand(x2, sizes)
            first = torch.clamp_min(torch.linalg_vector_norm(a, 2, [dim], True), eps)
            second = torch.clamp_min(torch.linalg_vector_norm(b, 2, [dim], True), eps)
            return torch.sum(torch.mul(torch.div(a, first), torch.div(b, second)), [dim])""");
        r.composite(
                "aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor",
                a -> cdist(tensor(a, 0), tensor(a, 1), real(a, 2)),
                "return torch.linalg_vector_norm(torch.sub(torch.unsqueeze(x1, -2), torch.unsqueeze(x2, -3)), p, "
                        + "[-1])");
    }

    static Tensor pairwise(Tensor x, Tensor y, double order, double eps, boolean keepDims) {
        return Moments.norm(difference(x, y, eps), order, new long[] {-1}, keepDims, null);
    }

    private static Tensor difference(Tensor x, Tensor y, double eps) {
        if (ComplexOperators.applies(x, y)) {
            return BinaryOps.add(BinaryOps.subtract(x, y, 1L), eps, 1L);
        }
        if (Promotion.of(x, y).isIntegral()) {
            // Whole numbers are subtracted in their type, where uint8 wraps around.
            return Pointwise.unary(BinaryOps.subtract(x, y, 1L), d -> d + eps);
        }
        return Pointwise.binary(x, y, Promotion.floating(Promotion.of(x, y)), (p, q) -> p - q + eps, null);
    }

    /** {@code x y / max(|x| |y|, eps)}, each length bounded by eps. */
    private static Tensor cosine(Tensor x, Tensor y, long dim, double eps) {
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        ReducedRows first = ReducedRows.along(BroadcastShapes.expand(x, sizes), dim);
        double[] p = first.doubles();
        double[] q = ReducedRows.along(BroadcastShapes.expand(y, sizes), dim).doubles();
        double[] out = new double[first.count()];
        int n = first.length();
        for (int row = 0; row < out.length; row++) {
            double pp = 0;
            double qq = 0;
            double pq = 0;
            for (int i = row * n; i < (row + 1) * n; i++) {
                pp += p[i] * p[i];
                qq += q[i] * q[i];
                pq += p[i] * q[i];
            }
            out[row] = pq / (Math.max(Math.sqrt(pp), eps) * Math.max(Math.sqrt(qq), eps));
        }
        return Elements.ofDoubles(Promotion.of(x, y), out, first.sizes(false));
    }

    /** Norms of the differences of all pairs of rows: [.., p, m] and [.., r, m] give [.., p, r]. */
    private static Tensor cdist(Tensor x, Tensor y, double order) {
        if (x.rank() < 2 || y.rank() < 2 || x.size(-1) != y.size(-1) || order < 0) {
            throw new IllegalArgumentException(
                    "cdist: " + x + ", " + y + " (expected: rows of one length, an order >= 0)");
        }
        int[] batch =
                BroadcastShapes.shape(Arrays.copyOf(x.sizes(), x.rank() - 2), Arrays.copyOf(y.sizes(), y.rank() - 2));
        int p = x.size(-2);
        int r = y.size(-2);
        int m = x.size(-1);
        double[] a = Elements.doubles(BroadcastShapes.expand(x, with(batch, p, m)));
        double[] b = Elements.doubles(BroadcastShapes.expand(y, with(batch, r, m)));
        int count = (int) Shape.numel(batch);
        double[] differences = new double[m];
        double[] out = new double[Tensors.count(with(batch, p, r))];
        int at = 0;
        for (int n = 0; n < count; n++) {
            for (int i = 0; i < p; i++) {
                for (int j = 0; j < r; j++) {
                    for (int k = 0; k < m; k++) {
                        differences[k] = a[(n * p + i) * m + k] - b[(n * r + j) * m + k];
                    }
                    out[at++] = Moments.norm(differences, order);
                }
            }
        }
        DType type = Promotion.of(x, y);
        return Elements.ofDoubles(type, out, with(batch, p, r));
    }

    private static int[] with(int[] batch, int rows, int columns) {
        int[] out = Arrays.copyOf(batch, batch.length + 2);
        out[batch.length] = rows;
        out[batch.length + 1] = columns;
        return out;
    }
}
