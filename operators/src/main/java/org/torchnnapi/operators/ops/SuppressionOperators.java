package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** {@code torchvision::nms}: keeps the best boxes and drops those that overlap a kept one too much. */
public final class SuppressionOperators implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.DATA_DEPENDENT);
        r.op(
                "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
                a -> nms(tensor(a, 0), tensor(a, 1), real(a, 2)));
    }

    /**
     * @param boxes [n, 4]: left, top, right, bottom
     * @param scores [n]
     * @param threshold intersection over union above which a box is dropped
     * @return indices of the kept boxes, best first
     */
    private static Tensor nms(Tensor boxes, Tensor scores, double threshold) {
        if (boxes.rank() != 2 || boxes.size(1) != 4 || scores.rank() != 1 || scores.size(0) != boxes.size(0)) {
            throw new IllegalArgumentException(
                    "boxes should be [n, 4] and scores [n], got " + boxes + " and " + scores);
        }
        int n = boxes.size(0);
        double[] b = Elements.doubles(boxes);
        double[] s = Elements.doubles(scores);
        Integer[] order = new Integer[n];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (x, y) -> Sorting.compare(s[y], s[x]));
        boolean[] dropped = new boolean[n];
        long[] kept = new long[n];
        int count = 0;
        for (int i = 0; i < n; i++) {
            int best = order[i];
            if (dropped[best]) {
                continue;
            }
            kept[count++] = best;
            for (int j = i + 1; j < n; j++) {
                int other = order[j];
                // Areas and overlaps are float32 in PyTorch, the threshold is not; ties depend on it.
                dropped[other] |= !dropped[other] && overlap(b, best, other) > threshold;
            }
        }
        return Elements.ofLongs(DType.INT64, Arrays.copyOf(kept, count), count);
    }

    private static float overlap(double[] b, int i, int j) {
        float left = (float) Math.max(b[4 * i], b[4 * j]);
        float top = (float) Math.max(b[4 * i + 1], b[4 * j + 1]);
        float right = (float) Math.min(b[4 * i + 2], b[4 * j + 2]);
        float bottom = (float) Math.min(b[4 * i + 3], b[4 * j + 3]);
        float inter = Math.max(0, right - left) * Math.max(0, bottom - top);
        return inter / (area(b, i) + area(b, j) - inter);
    }

    private static float area(double[] b, int i) {
        return ((float) b[4 * i + 2] - (float) b[4 * i]) * ((float) b[4 * i + 3] - (float) b[4 * i + 1]);
    }
}
