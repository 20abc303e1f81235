package org.torchnnapi.tensor;

/** Maps the integers of a quantized tensor to real values: {@code real = (integer - zeroPoint) * scale}. */
public sealed interface Quantization {

    /** One scale and zero point for the whole tensor. */
    record PerTensor(double scale, int zeroPoint) implements Quantization {
        public PerTensor {
            checkScale(scale);
        }
    }

    /**
     * One scale and zero point for every index along {@code axis}.
     *
     * @param floatQParams true for PyTorch's {@code per_channel_affine_float_qparams}, whose zero points are real
     *     numbers
     */
    record PerChannel(double[] scales, double[] zeroPoints, int axis, boolean floatQParams) implements Quantization {
        public PerChannel {
            if (scales.length != zeroPoints.length) {
                throw new IllegalArgumentException(
                        "zero points: " + zeroPoints.length + " (expected: one per scale, " + scales.length + ")");
            }
            for (double scale : scales) {
                checkScale(scale);
            }
        }
    }

    private static void checkScale(double scale) {
        if (!(scale > 0) || Double.isInfinite(scale)) {
            throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
        }
    }
}
