package org.torchnnapi.converter.lower;

import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Weights and bias of quantized convolutions and linear layers, turned into what NNAPI takes. */
public final class QuantizedParameters {
    private static final int SIGNED_TO_UNSIGNED = 128;

    private QuantizedParameters() {}

    /** Why NNAPI has no such weights; null where they are quantized per tensor to 8 bits. */
    static Reason unfit(Tensor weight) {
        if (!(weight.quantization() instanceof Quantization.PerTensor)) {
            return new Reason(
                    "weights must be quantized per tensor",
                    weight + " quantized per channel",
                    "one scale and zero point",
                    "quantize with the qnnpack configuration");
        }
        return weight.dtype() == DType.QUINT8 || weight.dtype() == DType.QINT8
                ? null
                : new Reason("weights must be 8-bit", weight.toString(), "qint8 or quint8");
    }

    /**
     * The weights as unsigned bytes; signed ones move by 128 together with their zero point.
     *
     * @param weight quantized per tensor to 8 bits
     */
    public static Tensor unsigned(Tensor weight) {
        if (weight.dtype() == DType.QUINT8) {
            return weight;
        }
        Quantization.PerTensor q = (Quantization.PerTensor) weight.quantization();
        Tensor dense = weight.contiguous();
        byte[] from = dense.storage().byteArray();
        byte[] to = new byte[Math.toIntExact(dense.numel())];
        for (int i = 0; i < to.length; i++) {
            to[i] = (byte) (from[dense.offset() + i] + SIGNED_TO_UNSIGNED);
        }
        return Tensor.of(DType.QUINT8, to, dense.sizes())
                .withQuantization(new Quantization.PerTensor(q.scale(), q.zeroPoint() + SIGNED_TO_UNSIGNED));
    }

    public static double scale(Tensor weight) {
        return ((Quantization.PerTensor) weight.quantization()).scale();
    }

    /**
     * The bias as 32-bit integers with scale {@code scale} and zero point 0: multiplied by the float32 reciprocal of
     * the scale and rounded half to even, as {@code torch.quantize_per_tensor(bias, scale, 0, torch.qint32)} does.
     */
    public static Tensor bias(Tensor bias, double scale) {
        float[] values = bias.toFloatArray();
        float reciprocal = 1f / (float) scale;
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (int) Math.max(
                    Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, (long) Math.rint(values[i] * reciprocal)));
        }
        return Tensor.of(DType.QINT32, out, out.length).withQuantization(new Quantization.PerTensor(scale, 0));
    }
}
