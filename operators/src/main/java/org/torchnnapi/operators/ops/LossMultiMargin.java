package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Losses that are zero where answers are right by a margin, and that of counts; reductions as in {@link Loss}. */
public final class LossMultiMargin implements OperatorFamily {
    /** Keeps the cosine of a zero vector finite. */
    private static final double COSINE_EPSILON = 1e-12;

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int "
                        + "reduction=1) -> Tensor",
                a -> {
                    double margin = real(a, 3);
                    Tensor difference = BinaryOps.subtract(tensor(a, 0), tensor(a, 1), 1L);
                    // Whole numbers are negated in their type, where uint8 wraps around.
                    Tensor against = BinaryOps.multiply(BinaryOps.multiply(tensor(a, 2), -1L), difference);
                    return Loss.reduce(Pointwise.unary(against, x -> Math.max(0, margin + x)), integer(a, 4));
                },
                """
            each = torch.clamp_min(torch.add(torch.mul(torch.neg(target), torch.sub(input1, input2)), margin), 0)
            """ + Loss.REDUCED);
        r.composite(
                "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor",
                a -> {
                    double margin = real(a, 2);
                    return Loss.reduce(
                            Pointwise.binary(
                                    tensor(a, 0),
                                    tensor(a, 1),
                                    Promotion.floating(Promotion.of(tensor(a, 0), tensor(a, 1))),
                                    (x, y) -> (y == 1 ? 0 : Math.max(0, margin - x)) + (y == -1 ? 0 : x),
                                    null),
                            integer(a, 3));
                },
                """
            unlike = torch.masked_fill(torch.clamp_min(torch.rsub(self, margin), 0), torch.eq(target, 1), 0)
            each = torch.add(unlike, torch.masked_fill(self, torch.eq(target, -1), 0))
            """ + Loss.REDUCED);
        r.composite(
                "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int "
                        + "reduction=1) -> Tensor",
                a -> cosine(tensor(a, 0), tensor(a, 1), tensor(a, 2), real(a, 3), integer(a, 4)),
                """
            if torch.ne(ops.prim.max(torch.dim(input1), torch.dim(input2)), torch.add(torch.dim(target), 1)):
              ops.prim.RaiseException(torch.format("{}D target tensor expects input tensors of one dimension more, but \
              found inputs with sizes {} and {}.", torch.dim(target), torch.size(input1), torch.size(input2)))
            product = torch.sum(torch.mul(input1, input2), [-1])
            first = torch.add(torch.sum(torch.mul(input1, input1), [-1]), 9.9999999999999998e-13)
            second = torch.add(torch.sum(torch.mul(input2, input2), [-1]), 9.9999999999999998e-13)
            cosine = torch.div(product, torch.sqrt(torch.mul(first, second)))
            alike = torch.masked_fill(torch.rsub(cosine, 1), torch.ne(target, 1), 0)
            unlike = torch.masked_fill(torch.clamp_min(torch.sub(cosine, margin), 0), torch.ne(target, \
            torch.neg(torch.ones_like(target))), 0)
            each = torch.add(alike, unlike)
            """ + Loss.REDUCED);
        r.composite(
                "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float "
                        + "p=2., float eps=9.9999999999999995e-07, "
                        + "bool swap=False, int reduction=1) -> Tensor",
                a -> triplet(a, real(a, 3), flag(a, 6), integer(a, 7)),
                """
            near = torch.pairwise_distance(anchor, positive, p, eps)
            apart = torch.pairwise_distance(anchor, negative, p, eps)
            if swap:
              far = torch.minimum(apart, torch.pairwise_distance(positive, negative, p, eps))
            else:
              far = apart
            each = torch.clamp_min(torch.sub(torch.add(near, margin), far), 0)
            """ + Loss.REDUCED);
        r.composite(
                "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int "
                        + "reduction) -> Tensor",
                """
            if log_input:
              loss = torch.sub(torch.exp(input), torch.mul(target, input))
            else:
              loss = torch.sub(input, torch.mul(target, torch.log(torch.add(input, eps))))
            if full:
              half = torch.mul(torch.log(torch.mul(target, 6.283185307179586)), 0.5)
              stirling = torch.add(torch.sub(torch.mul(target, torch.log(target)), target), half)
              each = torch.add(loss, torch.masked_fill(stirling, torch.le(target, 1), 0))
            else:
              each = loss
            """ + Loss.REDUCED);
        r.composite(
                "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? "
                        + "weight=None, int reduction=1) -> Tensor",
                a -> classes(tensor(a, 0), tensor(a, 1), real(a, 2), real(a, 3), tensorOrNull(a, 4), integer(a, 5)),
                """
            count = torch.size(self, -1)
            right = torch.unsqueeze(target, -1)
            above = torch.clamp_min(torch.add(torch.sub(self, torch.gather(self, -1, right)), margin), 0)
            others = torch.masked_fill(torch.pow(above, p), torch.eq(torch.arange(count), right), 0)
            plain = torch.div(torch.sum(others, [-1]), count)
            if torch.__is__(weight, None):
              each = plain
            else:
              taken = torch.index_select(unchecked_cast(Tensor, weight), 0, torch.reshape(target, [-1]))
              each = torch.mul(plain, torch.reshape(taken, torch.size(target)))
            """ + Loss.REDUCED);
        r.composite(
                "aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                a -> labels(tensor(a, 0), tensor(a, 1), integer(a, 2)),
                """
            if torch.gt(torch.dim(self), 2):
              ops.prim.RaiseException(torch.format("Expected non-empty vector or matrix with optional 0-dim batch \
              size, but got: {}", torch.size(self)))
            count = torch.size(self, -1)
            valid = torch.gt(torch.cumprod(torch.to(torch.ge(target, 0), 6), -1), 0)
            labels = torch.mul(target, valid)
            named = torch.logical_and(torch.eq(torch.unsqueeze(labels, -1), torch.arange(count)), \
            torch.unsqueeze(valid, -1))
            wanted = torch.any(named, -2)
            above = torch.sub(torch.add(torch.unsqueeze(self, -2), 1), torch.unsqueeze(torch.gather(self, -1, \
            labels), -1))
            counts = torch.logical_and(torch.unsqueeze(valid, -1), torch.logical_not(torch.unsqueeze(wanted, -2)))
            each = torch.div(torch.sum(torch.mul(torch.clamp_min(above, 0), counts), [-2, -1]), count)
            """ + Loss.REDUCED);
    }

    private static void requireRows(Tensor t) {
        if (t.rank() > 2) {
            throw new IllegalArgumentException(
                    "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                            + Arrays.toString(t.sizes()));
        }
    }

    private static Tensor cosine(Tensor x, Tensor y, Tensor target, double margin, long reduction) {
        if (target.rank() > 1 || Math.max(x.rank(), y.rank()) != target.rank() + 1) {
            throw new IllegalArgumentException((target.rank() > 1
                            ? "0D or 1D target tensor expected, multi-target not supported"
                            : target.rank() + "D target tensor expects " + (target.rank() + 1) + "D input tensors")
                    + ", but found inputs with sizes " + Arrays.toString(x.sizes()) + " and "
                    + Arrays.toString(y.sizes()) + ".");
        }
        int dim = x.rank() - 1;
        long[] dims = {dim};
        Tensor product = ReduceOps.sum(BinaryOps.multiply(x, y), dims, false, null);
        Tensor first = ReduceOps.sum(BinaryOps.multiply(x, x), dims, false, null);
        Tensor second = ReduceOps.sum(BinaryOps.multiply(y, y), dims, false, null);
        Tensor squares = Pointwise.binary(
                first,
                second,
                Promotion.floating(Promotion.of(first, second)),
                (p, q) -> (p + COSINE_EPSILON) * (q + COSINE_EPSILON),
                null);
        double unlike = target.dtype() == DType.UINT8 ? 255 : -1;
        Tensor cosine = Pointwise.binary(product, squares, squares.dtype(), (p, q) -> p / Math.sqrt(q), null);
        return Loss.reduce(
                Pointwise.binary(
                        cosine,
                        target,
                        cosine.dtype(),
                        (c, wanted) -> (wanted == 1 ? 1 - c : 0) + (wanted == unlike ? Math.max(0, c - margin) : 0),
                        null),
                reduction);
    }

    private static Tensor triplet(Object[] a, double margin, boolean swap, long reduction) {
        Tensor near = Distance.pairwise(tensor(a, 0), tensor(a, 1), real(a, 4), real(a, 5), false);
        Tensor far = Distance.pairwise(tensor(a, 0), tensor(a, 2), real(a, 4), real(a, 5), false);
        if (swap) {
            Tensor other = Distance.pairwise(tensor(a, 1), tensor(a, 2), real(a, 4), real(a, 5), false);
            far = Pointwise.binary(far, other, far.dtype(), Math::min, null);
        }
        return Loss.reduce(
                Pointwise.binary(near, far, near.dtype(), (p, q) -> Math.max(0, margin + p - q), null), reduction);
    }

    /** The mean over the classes of {@code max(0, margin - x[y] + x[i])^p}. */
    private static Tensor classes(Tensor t, Tensor target, double p, double margin, Tensor weight, long reduction) {
        if (p != 1 && p != 2) {
            throw new IllegalArgumentException("multi_margin_loss: Invalid p, expected 1 or 2 but got " + p);
        }
        requireRows(t);
        int n = t.rank() == 0 ? 1 : t.size(-1);
        double[] x = Elements.doubles(t);
        long[] y = Elements.longs(target);
        double[] w = weight == null ? null : Elements.doubles(weight);
        double[] out = new double[y.length];
        for (int row = 0; row < out.length; row++) {
            int right = (int) inRange(y[row], n);
            for (int i = 0; i < n; i++) {
                double z = margin - x[row * n + right] + x[row * n + i];
                if (i != right && z > 0) {
                    out[row] += (p == 1 ? z : z * z) * (w == null ? 1 : w[right]) / n;
                }
            }
        }
        return Loss.reduce(Elements.ofDoubles(t.dtype(), out, target.sizes()), reduction);
    }

    /** The first -1 among the labels of a row ends them. */
    static Tensor labels(Tensor t, Tensor target, long reduction) {
        requireRows(t);
        int n = t.rank() == 0 ? 1 : t.size(-1);
        double[] x = Elements.doubles(t);
        long[] y = Elements.longs(target);
        double[] out = new double[x.length / Math.max(n, 1)];
        for (int row = 0; row < out.length; row++) {
            boolean[] wanted = new boolean[n];
            int count = 0;
            while (count < n && y[row * n + count] >= 0) {
                wanted[(int) inRange(y[row * n + count++], n)] = true;
            }
            for (int k = 0; k < count; k++) {
                for (int i = 0; i < n; i++) {
                    if (!wanted[i]) {
                        out[row] += Math.max(0, 1 - x[row * n + (int) y[row * n + k]] + x[row * n + i]) / n;
                    }
                }
            }
        }
        return Loss.reduce(
                Elements.ofDoubles(t.dtype(), out, t.rank() < 2 ? new int[0] : new int[] {out.length}), reduction);
    }

    private static long inRange(long label, int classes) {
        if (label < 0 || label >= classes) {
            throw new IllegalArgumentException(
                    "target out of range: " + label + " (expected: 0 to " + (classes - 1) + ")");
        }
        return label;
    }
}
