package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.Tensor;

/**
 * Connectionist temporal classification (Graves and others, 2006): minus the logarithm of the probability of all ways
 * to stretch a target over time with blanks between its labels.
 */
public final class LossCtc implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        String rest = "int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor";
        r.op(
                "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, "
                        + rest,
                a -> loss(
                        tensor(a, 0),
                        tensor(a, 1),
                        integers(a, 2),
                        integers(a, 3),
                        integer(a, 4),
                        integer(a, 5),
                        flag(a, 6)));
        r.op(
                "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
                        + rest,
                a -> loss(
                        tensor(a, 0),
                        tensor(a, 1),
                        Elements.longs(tensor(a, 2)),
                        Elements.longs(tensor(a, 3)),
                        integer(a, 4),
                        integer(a, 5),
                        flag(a, 6)));
    }

    /** @param logs [time, batch, classes], or [time, classes] */
    private static Tensor loss(
            Tensor logs,
            Tensor targets,
            long[] times,
            long[] lengths,
            long blank,
            long reduction,
            boolean zeroInfinity) {
        boolean single = logs.rank() == 2;
        if (!single && logs.rank() != 3
                || times.length != lengths.length
                || times.length != (single ? 1 : logs.size(1))) {
            throw new IllegalArgumentException(
                    "ctc_loss: log_probs " + logs + ", " + times.length + " input_lengths, " + lengths.length
                            + " target_lengths (expected: [time, batch, classes], a length for each of the batch)");
        }
        int classes = logs.size(-1);
        if (blank < 0 || blank >= classes) {
            throw new IllegalArgumentException(
                    "blank must be in label range: " + blank + " (expected: 0 to " + (classes - 1) + ")");
        }
        double[] all = Elements.doubles(logs);
        long[] labels = Elements.longs(targets);
        double[] losses = new double[times.length];
        long start = 0;
        for (int b = 0; b < times.length; b++) {
            long from = targets.rank() == 1 ? start : (long) b * targets.size(1);
            if (times[b] < 0
                    || times[b] > logs.size(0)
                    || lengths[b] < 0
                    || from + lengths[b] > labels.length
                    || targets.rank() == 2 && lengths[b] > targets.size(1)) {
                throw new IllegalArgumentException(
                        "ctc_loss: input length " + times[b] + ", target length " + lengths[b] + " of sequence " + b
                                + " (expected: at most " + logs.size(0) + ", and at most the targets there are)");
            }
            long[] own = Arrays.copyOfRange(labels, (int) from, (int) (from + lengths[b]));
            for (long label : own) {
                if (label < 0 || label >= classes) {
                    throw new IndexOutOfBoundsException(
                            "ctc_loss: label " + label + " (expected: 0 to " + (classes - 1) + ")");
                }
            }
            double loss = alignment(all, (int) times[b], b * classes, times.length * classes, own, (int) blank);
            losses[b] = zeroInfinity && Double.isInfinite(loss) ? 0 : loss;
            losses[b] /= reduction == 1 ? Math.max(lengths[b], 1) : 1;
            start += lengths[b];
        }
        int[] sizes = single ? new int[0] : new int[] {losses.length};
        return Loss.reduce(Elements.ofDoubles(logs.dtype(), losses, sizes), reduction);
    }

    /** The forward pass over labels with blanks around them, in logarithms. */
    private static double alignment(double[] logs, int times, int offset, int stride, long[] labels, int blank) {
        int states = 2 * labels.length + 1;
        double[] alpha = new double[states];
        Arrays.fill(alpha, Double.NEGATIVE_INFINITY);
        if (times == 0) {
            return labels.length == 0 ? 0 : Double.POSITIVE_INFINITY;
        }
        alpha[0] = logs[offset + blank];
        if (labels.length > 0) {
            alpha[1] = logs[offset + (int) labels[0]];
        }
        for (int t = 1; t < times; t++) {
            double[] before = alpha.clone();
            for (int s = 0; s < states; s++) {
                int label = s % 2 == 0 ? blank : (int) labels[s / 2];
                boolean skips = s % 2 == 1 && s > 1 && labels[s / 2] != labels[s / 2 - 1];
                double sum = logSum(before[s], s > 0 ? before[s - 1] : Double.NEGATIVE_INFINITY);
                alpha[s] = logSum(sum, skips ? before[s - 2] : Double.NEGATIVE_INFINITY)
                        + logs[offset + t * stride + label];
            }
        }
        return -logSum(alpha[states - 1], states > 1 ? alpha[states - 2] : Double.NEGATIVE_INFINITY);
    }

    private static double logSum(double x, double y) {
        double larger = Math.max(x, y);
        return Double.isInfinite(larger) ? larger : larger + Math.log1p(Math.exp(Math.min(x, y) - larger));
    }
}
