package org.torchnnapi.program.op;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;

/**
 * Slices of volumes brought together element for element. Volumes of floats lie as batches of their slices,
 * {@code [volumes * depth, ..]}.
 *
 * @param taps by slice of the result the slices of the input that it is made of, at least one
 * @param depth slices of an input volume
 * @param average whether the result is their mean, or else the greatest
 * @param divisor what sums are divided by for a mean; 0 for how many slices there are
 */
public record VolumePoolOp(int[][] taps, int depth, boolean average, int divisor) implements VolumeSlices {
    /** Elements that a share of the work has. */
    private static final int RUN = 1 << 14;

    public VolumePoolOp {
        for (int[] slices : taps) {
            if (slices.length == 0) {
                throw new IllegalArgumentException("slices: none (expected: at least one for each of the result)");
            }
            for (int slice : slices) {
                if (slice < 0 || slice >= depth) {
                    throw new IllegalArgumentException(
                            "slice: " + slice + " (expected: within the " + depth + " of a volume)");
                }
            }
        }
    }

    @Override
    public int outDepth() {
        return taps.length;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int size = out.imageSize();
        int runs = (size + RUN - 1) / RUN;
        return Step.images(out.type().dimension(0), runs, memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end) -> {
                int[] slices = taps[image % taps.length];
                int first = begin * RUN;
                int count = Math.min(end * RUN, size) - first;
                int volume = in.at(memory) + image / taps.length * depth * size + first;
                int target = out.at(memory) + image * size + first;
                System.arraycopy(from, volume + slices[0] * size, to, target, count);
                for (int i = 1; i < slices.length; i++) {
                    ElementwiseOps.binary(
                            average ? BinaryOp.ADD : BinaryOp.MAX,
                            to,
                            target,
                            from,
                            volume + slices[i] * size,
                            to,
                            target,
                            count,
                            Clamp.NONE);
                }
                int parts = divisor == 0 ? slices.length : divisor;
                if (average && parts > 1) {
                    ElementwiseOps.binary(BinaryOp.DIV, to, target, parts, to, target, count, Clamp.NONE);
                }
            };
        });
    }

    @Override
    public String label() {
        return (average ? "average" : "max") + " of slices";
    }
}
