package org.torchnnapi.kernels;

/**
 * The integers of quantized weights.
 *
 * @param values in the order that {@link ConvShape#weightCount()} describes
 * @param signed whether the bytes are -128 to 127 (otherwise 0 to 255)
 * @param zeroPoints one for all output channels or one each
 * @param origin where the values come from, or null where only they tell them from others
 */
public record QuantizedWeights(byte[] values, boolean signed, int[] zeroPoints, WeightsOrigin origin) {
    /** Weights that only their numbers tell from others. */
    public QuantizedWeights(byte[] values, boolean signed, int[] zeroPoints) {
        this(values, signed, zeroPoints, null);
    }

    public QuantizedWeights {
        Check.atLeast("weight zero points", zeroPoints.length, 1);
        for (int zeroPoint : zeroPoints) {
            checkZeroPoint(zeroPoint, signed);
        }
    }

    static void checkZeroPoint(int zeroPoint, boolean signed) {
        int least = signed ? -128 : 0;
        if (zeroPoint < least || zeroPoint > least + 255) {
            throw new IllegalArgumentException(
                    "zero point: " + zeroPoint + " (expected: within [" + least + ", " + (least + 255) + "])");
        }
    }

    /** The zero point of an output channel's weights. */
    public int zeroPoint(int outChannel) {
        return zeroPoints[zeroPoints.length == 1 ? 0 : outChannel];
    }

    /** Weight {@code index}, of that output channel, less its zero point. */
    public int centred(int index, int outChannel) {
        int value = signed ? values[index] : values[index] & 0xff;
        return value - zeroPoint(outChannel);
    }
}
