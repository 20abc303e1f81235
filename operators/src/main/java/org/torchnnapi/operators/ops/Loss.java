package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.function.DoubleBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Loss functions. The reduction is 0 for none, 1 for the mean, 2 for the sum. */
public final class Loss implements OperatorFamily {
    /** The end of a body in TorchScript, which reduces {@code each}. */
    static final String REDUCED = reduction("torch.mean(each)");
    /** The same for losses of classes, of which each counts as much as {@code weights} say. */
    private static final String WEIGHTED_REDUCTION = "\n" + reduction("torch.div(torch.sum(each), torch.sum(weights))");
    /**
     * Where the classes are, which targets count, and how much: an ignored target is brought inside and weighs nothing.
     */
    private static final String TARGETS = """
        if torch.eq(torch.dim(self), 1):
          along = 0
        else:
          along = 1
        kept = torch.ne(target, ignore_index)
        inside = torch.mul(target, kept)
        if torch.__is__(weight, None):
          weights = torch.to(kept, ops.prim.dtype(self))
        else:
          taken = torch.index_select(unchecked_cast(Tensor, weight), 0, torch.reshape(inside, [-1]))
          weights = torch.mul(torch.reshape(taken, torch.size(target)), kept)
        """;

    private static final String LIKELIHOOD = TARGETS + """
        own = torch.squeeze(torch.gather(self, along, torch.unsqueeze(inside, along)), along)
        each = torch.masked_fill(torch.neg(torch.mul(own, weights)), torch.logical_not(kept), \
        0)""" + WEIGHTED_REDUCTION;
    private static final String CROSS_ENTROPY = """
        if torch.eq(torch.dim(self), 1):
          along = 0
        else:
          along = 1
        logs = torch.log_softmax(self, along)
        classes = torch.size(self, along)
        if torch.__is__(weight, None):
          weighted = logs
        else:
          shape = torch.add([classes], torch.mul([1], torch.sub(torch.sub(torch.dim(self), 1), along)))
          weighted = torch.mul(logs, torch.reshape(unchecked_cast(Tensor, weight), shape))
        if torch.is_floating_point(target):
          wanted = torch.add(torch.mul(target, torch.sub(1., label_smoothing)), torch.div(label_smoothing, classes))
          each = torch.neg(torch.sum(torch.mul(wanted, weighted), [along]))
          weights = torch.ones_like(each)
        else:
          own = torch.nll_loss_nd(logs, target, weight, 0, ignore_index)
          if torch.__is__(weight, None):
            weights = torch.to(torch.ne(target, ignore_index), ops.prim.dtype(self))
          else:
            weights = torch.nll_loss_nd(torch.full_like(logs, -1), target, weight, 0, ignore_index)
          if torch.gt(label_smoothing, 0.):
            smooth = torch.masked_fill(torch.neg(torch.sum(weighted, [along])), torch.eq(target, ignore_index), 0)
            each = torch.add(torch.mul(own, torch.sub(1., label_smoothing)), torch.mul(smooth, \
        torch.div(label_smoothing, classes)))
          else:
            each = own""" + WEIGHTED_REDUCTION;

    private static String reduction(String mean) {
        return "if torch.eq(reduction, 1):\n  result = " + mean + """

            else:
              if torch.eq(reduction, 2):
                result = torch.sum(each)
              else:
                result = each
            return result""";
    }

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                a -> Promotion.of(tensor(a, 0), tensor(a, 1)).isComplex()
                        ? reduce(Moments.magnitude(BinaryOps.subtract(tensor(a, 0), tensor(a, 1), 1L)), integer(a, 2))
                        : pairs(a, integer(a, 2), (x, y) -> Math.abs(x - y)),
                """
            each = torch.abs(torch.sub(self, target))
            """ + REDUCED);
        r.composite(
                "aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                a -> pairs(a, integer(a, 2), (x, y) -> (x - y) * (x - y)),
                """
            difference = torch.sub(self, target)
            each = torch.mul(difference, difference)
            """ + REDUCED);
        r.composite(
                "aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
                a -> {
                    double beta = real(a, 3);
                    return pairs(a, integer(a, 2), (x, y) -> {
                        double d = Math.abs(x - y);
                        return d < beta ? 0.5 * d * d / beta : d - 0.5 * beta;
                    });
                },
                """
            d = torch.abs(torch.sub(self, target))
            if torch.eq(beta, 0.):
              each = d
            else:
              near = torch.mul(torch.mul(d, d), torch.div(0.5, beta))
              each = torch.where(torch.lt(d, beta), near, torch.sub(d, torch.mul(0.5, beta)))
            """ + REDUCED);
        r.composite(
                "aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
                a -> {
                    double delta = real(a, 3);
                    return pairs(a, integer(a, 2), (x, y) -> {
                        double d = Math.abs(x - y);
                        return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
                    });
                },
                """
            d = torch.abs(torch.sub(self, target))
            near = torch.mul(torch.mul(d, d), 0.5)
            each = torch.where(torch.le(d, delta), near, torch.mul(torch.sub(d, torch.mul(0.5, delta)), delta))
            """ + REDUCED);
        r.composite("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", """
            each = torch.log(torch.add(torch.exp(torch.mul(torch.neg(self), target)), 1))
            """ + REDUCED);
        r.composite(
                "aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor",
                """
            if log_target:
              each = torch.mul(torch.exp(target), torch.sub(target, self))
            else:
              each = torch.sub(torch.xlogy(target, target), torch.mul(target, self))
            """ + REDUCED);
        r.composite(
                "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> "
                        + "Tensor",
                a -> {
                    // PyTorch bounds the logarithms at -100.
                    Tensor loss = Pointwise.binary(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensor(a, 0).dtype(),
                            (x, y) -> -(y * Math.max(Math.log(x), -100) + (1 - y) * Math.max(Math.log1p(-x), -100)),
                            null);
                    return reduce(weighted(loss, tensorOrNull(a, 2)), integer(a, 3));
                },
                """
            positive = torch.mul(target, torch.clamp_min(torch.log(self), -100))
            negative = torch.mul(torch.rsub(target, 1), torch.clamp_min(torch.log1p(torch.neg(self)), -100))
            plain = torch.neg(torch.add(positive, negative))
            if torch.__is__(weight, None):
              each = plain
            else:
              each = torch.mul(plain, unchecked_cast(Tensor, weight))
            """ + REDUCED);
        r.composite(
                "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, "
                        + "Tensor? pos_weight=None, int reduction=1) -> Tensor",
                a -> logits(a),
                """
            logs = torch.log_sigmoid(self)
            if torch.__is__(pos_weight, None):
              positive = torch.mul(target, logs)
            else:
              positive = torch.mul(torch.mul(target, unchecked_cast(Tensor, pos_weight)), logs)
            plain = torch.sub(torch.mul(torch.rsub(target, 1), torch.sub(self, logs)), positive)
            if torch.__is__(weight, None):
              each = plain
            else:
              each = torch.mul(plain, unchecked_cast(Tensor, weight))
            """ + REDUCED);
        for (String name : new String[] {"nll_loss_nd", "nll_loss"}) {
            r.composite(
                    "aten::" + name
                            + "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
                            + "ignore_index=-100) -> Tensor",
                    a -> likelihood(tensor(a, 0), tensor(a, 1), tensorOrNull(a, 2), integer(a, 3), integer(a, 4), 0),
                    LIKELIHOOD);
        }
        r.composite(
                "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, "
                        + "int ignore_index=-100, float label_smoothing=0.) -> Tensor",
                a -> {
                    Tensor scores = tensor(a, 0);
                    Tensor logs = SoftMax.softmax(scores, scores.rank() == 1 ? 0 : 1, null, true);
                    return tensor(a, 1).dtype().isFloating()
                            ? soft(logs, tensor(a, 1), tensorOrNull(a, 2), integer(a, 3), real(a, 5))
                            : likelihood(
                                    logs, tensor(a, 1), tensorOrNull(a, 2), integer(a, 3), integer(a, 4), real(a, 5));
                },
                CROSS_ENTROPY);
    }

    private static Tensor pairs(Object[] a, long reduction, DoubleBinaryOperator f) {
        return reduce(
                Pointwise.binary(tensor(a, 0), tensor(a, 1), Promotion.of(tensor(a, 0), tensor(a, 1)), f, null),
                reduction);
    }

    private static Tensor weighted(Tensor loss, Tensor weight) {
        return weight == null ? loss : Pointwise.binary(loss, weight, loss.dtype(), (x, w) -> x * w, null);
    }

    static Tensor reduce(Tensor loss, long reduction) {
        return reduction == 0
                ? loss
                : reduction == 1 ? ReduceOps.mean(loss, null, false, null) : ReduceOps.sum(loss, null, false, null);
    }

    private static Tensor logits(Object[] a) {
        Tensor positive = tensorOrNull(a, 3);
        Tensor x = tensor(a, 0);
        double[] scores = Elements.doubles(x);
        double[] targets = Elements.doubles(BroadcastShapes.expand(tensor(a, 1), x.sizes()));
        double[] p = positive == null ? null : Elements.doubles(BroadcastShapes.expand(positive, x.sizes()));
        double[] loss = new double[scores.length];
        boolean bfloats = x.dtype() == DType.BFLOAT16;
        for (int i = 0; i < loss.length; i++) {
            if (bfloats) {
                loss[i] = bfloatLogits(scores[i], targets[i], p == null ? null : p[i]);
                continue;
            }
            double logSigmoid = Math.min(scores[i], 0) - Math.log1p(Math.exp(-Math.abs(scores[i])));
            loss[i] = (1 - targets[i]) * (scores[i] - logSigmoid) - (p == null ? 1 : p[i]) * targets[i] * logSigmoid;
        }
        return reduce(weighted(Elements.ofDoubles(x.dtype(), loss, x.sizes()), tensorOrNull(a, 2)), integer(a, 4));
    }

    /** The loss of one score, of which PyTorch rounds each step; a weight of null is none. */
    private static double bfloatLogits(double score, double target, Double positive) {
        double bound = Math.max(-score, 0);
        double sum = bfloat(bfloat(Math.exp(-bound)) + bfloat(Math.exp(bfloat(-score - bound))));
        double negative = bfloat(bfloat(1 - target) * score);
        if (positive == null) {
            return bfloat(bfloat(negative + bound) + bfloat(Math.log(sum)));
        }
        double weight = bfloat(bfloat(bfloat(positive - 1) * target) + 1);
        return bfloat(negative + bfloat(weight * bfloat(bfloat(Math.log(sum)) + bound)));
    }

    private static double bfloat(double value) {
        return ElementRounding.to(DType.BFLOAT16, value);
    }

    /** Negative log likelihood of class indices; the mean is weighted. */
    private static Tensor likelihood(
            Tensor logs, Tensor target, Tensor weight, long reduction, long ignored, double smoothing) {
        boolean single = logs.rank() == 1;
        int classes = logs.size(single ? 0 : 1);
        int batch = single ? 1 : logs.size(0);
        int inner = (int) (logs.numel() / Math.max((long) classes * batch, 1));
        if (target.numel() != (long) batch * inner || weight != null && weight.numel() != classes) {
            throw new IllegalArgumentException(
                    "Expected target of " + (long) batch * inner + " classes, got " + target);
        }
        double[] l = Elements.doubles(logs);
        long[] t = Elements.longs(target);
        double[] w = weight == null ? null : Elements.doubles(weight);
        double[] loss = new double[t.length];
        double total = 0;
        double sum = 0;
        for (int i = 0; i < t.length; i++) {
            if (t[i] == ignored) {
                continue;
            }
            if (t[i] < 0 || t[i] >= classes) {
                throw new IndexOutOfBoundsException("Target " + t[i] + " is out of bounds.");
            }
            int base = i / inner * classes * inner + i % inner;
            double own = w == null ? 1 : w[(int) t[i]];
            double smooth = 0;
            for (int c = 0; smoothing > 0 && c < classes; c++) {
                smooth -= l[base + c * inner] * (w == null ? 1 : w[c]);
            }
            loss[i] = -(1 - smoothing) * l[base + (int) t[i] * inner] * own + smoothing / classes * smooth;
            total += own;
            sum += loss[i];
        }
        if (reduction == 0) {
            return Elements.ofDoubles(logs.dtype(), loss, target.sizes());
        }
        return Elements.ofDoubles(logs.dtype(), new double[] {reduction == 2 ? sum : sum / total});
    }

    /** Cross entropy with class probabilities. */
    private static Tensor soft(Tensor logs, Tensor target, Tensor weight, long reduction, double smoothing) {
        int dim = logs.rank() == 1 ? 0 : 1;
        int classes = logs.size(dim);
        int inner = 1;
        for (int d = dim + 1; d < logs.rank(); d++) {
            inner *= logs.size(d);
        }
        double[] l = Elements.doubles(logs);
        double[] t = Elements.doubles(BroadcastShapes.expand(target, logs.sizes()));
        double[] w = weight == null ? null : Elements.doubles(weight);
        int rows = l.length / Math.max(classes, 1);
        double[] loss = new double[rows];
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            int base = row / inner * classes * inner + row % inner;
            for (int c = 0; c < classes; c++) {
                double p = t[base + c * inner] * (1 - smoothing) + smoothing / classes;
                loss[row] -= p * l[base + c * inner] * (w == null ? 1 : w[c]);
            }
            sum += loss[row];
        }
        int[] sizes = new int[logs.rank() - 1];
        for (int d = 0, at = 0; d < logs.rank(); d++) {
            if (d != dim) {
                sizes[at++] = logs.size(d);
            }
        }
        int batch = logs.rank() == 1 ? 1 : (int) Shape.numel(sizes);
        return reduction == 0
                ? Elements.ofDoubles(logs.dtype(), loss, sizes)
                : Elements.ofDoubles(logs.dtype(), new double[] {reduction == 2 ? sum : sum / batch});
    }
}
