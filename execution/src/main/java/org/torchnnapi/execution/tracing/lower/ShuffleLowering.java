package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.Tensor;

/**
 * Elements exchanged between channels and pixels, and channels between groups: dimensions taken apart, turned and
 * joined.
 */
final class ShuffleLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::pixel_shuffle", (lowered, node, a) -> {
            Tensor t = images(a);
            int by = Args.int32(a, 1);
            Support.require(by > 0 && t.size(1) % (by * by) == 0, "channels for each pixel");
            int channels = t.size(1) / (by * by);
            return turned(
                    lowered,
                    t,
                    new int[] {t.size(0), channels, by, by, t.size(2), t.size(3)},
                    new int[] {0, 1, 4, 2, 5, 3},
                    t.size(0),
                    channels,
                    t.size(2) * by,
                    t.size(3) * by);
        });
        r.add("aten::pixel_unshuffle", (lowered, node, a) -> {
            Tensor t = images(a);
            int by = Args.int32(a, 1);
            Support.require(by > 0 && t.size(2) % by == 0 && t.size(3) % by == 0, "whole pixels");
            int height = t.size(2) / by;
            int width = t.size(3) / by;
            return turned(
                    lowered,
                    t,
                    new int[] {t.size(0), t.size(1), height, by, width, by},
                    new int[] {0, 1, 3, 5, 2, 4},
                    t.size(0),
                    t.size(1) * by * by,
                    height,
                    width);
        });
        r.add("aten::channel_shuffle", (lowered, node, a) -> {
            Tensor t = images(a);
            int groups = Args.int32(a, 1);
            Support.require(groups > 0 && t.size(1) % groups == 0, "groups of channels");
            return turned(
                    lowered,
                    t,
                    new int[] {t.size(0), groups, t.size(1) / groups, t.size(2), t.size(3)},
                    new int[] {0, 2, 1, 3, 4},
                    t.sizes());
        });
    }

    private static Tensor images(Object[] a) {
        Tensor t = Args.tensor(a, 0);
        Support.require(t.rank() == 4, "a batch of images");
        return t;
    }

    /** Divided into parts, these in another order, and joined again. */
    static Tensor turned(Lowered lowered, Tensor t, int[] parts, int[] order, int... sizes) {
        int[] exchanged = new int[order.length];
        for (int d = 0; d < order.length; d++) {
            exchanged[d] = parts[order[d]];
        }
        Tensor parted = lowered.compute(new ReshapeOp(parts), Lowered.tensor(t.dtype(), t.quantization(), parts), t);
        Tensor turned =
                lowered.compute(new TransposeOp(order), Lowered.tensor(t.dtype(), t.quantization(), exchanged), parted);
        return lowered.compute(new ReshapeOp(sizes), Support.inFormatOf(t, sizes), turned);
    }
}
