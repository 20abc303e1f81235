package org.torchnnapi.converter.check;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Per-tensor quantization on the CPU, as PyTorch computes it. */
public final class TensorQuantizer {
    private static final int MAX = 255;

    private TensorQuantizer() {}

    /** Float to quint8: times the float32 reciprocal of the scale, rounded half to even, clamped. */
    public static Tensor toQuint8(Tensor tensor, double scale, int zeroPoint) {
        float[] values = tensor.toFloatArray();
        float reciprocal = 1f / (float) scale;
        byte[] out = new byte[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Math.max(0, Math.min(MAX, zeroPoint + (long) Math.rint(values[i] * reciprocal)));
        }
        return Tensor.of(DType.QUINT8, out, tensor.sizes())
                .withQuantization(new Quantization.PerTensor(scale, zeroPoint));
    }

    /** The real numbers of a tensor, quantized in any way or not, in row-major order. */
    public static double[] real(Tensor tensor) {
        double[] out = new double[Math.toIntExact(tensor.numel())];
        if (tensor.dtype() == DType.FLOAT32 && tensor.isContiguous()) {
            float[] elements = tensor.storage().floatArray();
            for (int i = 0; i < out.length; i++) {
                out[i] = elements[tensor.offset() + i];
            }
            return out;
        }
        Quantization.PerChannel channels = tensor.quantization() instanceof Quantization.PerChannel c ? c : null;
        int inner = 1;
        for (int d = channels == null ? tensor.rank() : channels.axis() + 1; d < tensor.rank(); d++) {
            inner *= tensor.size(d);
        }
        for (int i = 0; i < out.length; i++) {
            double value = tensor.getDouble(i);
            if (channels != null) {
                int channel = i / inner % tensor.size(channels.axis());
                out[i] = (value - channels.zeroPoints()[channel]) * channels.scales()[channel];
            } else {
                out[i] = tensor.quantization() instanceof Quantization.PerTensor q
                        ? (value - q.zeroPoint()) * q.scale()
                        : value;
            }
        }
        return out;
    }
}
