package org.torchnnapi.converter.lower;

import java.util.Arrays;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * Products with weights that have a scale a channel, as they are: for this library's runtime, since PyTorch's loader
 * lacks such weights.
 */
public final class ChannelWeights {
    private ChannelWeights() {}

    /** Whether such weights are to be kept as they are. */
    static boolean areKept(NnapiBuilder nnapi, Tensor weight) {
        return nnapi.isForOwnRuntime() && weight.quantization() instanceof Quantization.PerChannel;
    }

    /** A convolution of a quantized image; {@code weight} is (out, in / groups, height, width). */
    static OperandRef convolution(
            NnapiBuilder nnapi,
            OperandRef image,
            Tensor weight,
            Tensor bias,
            LoweringFrame frame,
            int groups,
            int fuse,
            Quantization.PerTensor out) {
        float[] scales = scales(weight);
        boolean depthwise = groups != 1 && groups == image.dims()[3] && weight.size(1) == 1;
        OperandRef filter = nnapi.channels(
                bytes(weight), scales, depthwise ? 3 : 0, depthwise ? Convolutions.IN_FIRST : Convolutions.OUT_LAST_IN);
        return nnapi.windows()
                .convolution(
                        image,
                        filter,
                        offset(nnapi, bias, weight, image.scale()),
                        frame,
                        depthwise ? 1 : groups,
                        depthwise,
                        fuse,
                        out.scale(),
                        out.zeroPoint());
    }

    /** A product of quantized rows with the weight's, as a convolution, since FULLY_CONNECTED has one scale only. */
    static OperandRef linear(
            NnapiBuilder nnapi, OperandRef rows, Tensor weight, Tensor bias, Quantization.PerTensor out) {
        int[] sizes = {weight.size(0), weight.size(1), 1, 1};
        Tensor dense = weight.contiguous();
        Tensor image = dense.asStrided(sizes, new int[] {weight.size(1), 1, 1, 1}, dense.offset());
        LoweringFrame point = LoweringFrame.of(new int[] {1, 1}, new int[] {1}, new int[] {0}, new int[] {1});
        OperandRef made = convolution(
                nnapi, nnapi.reshape(rows, rows.dims()[0], 1, 1, weight.size(1)), image, bias, point, 1, 0, out);
        return nnapi.reshape(made, rows.dims()[0], weight.size(0));
    }

    /** Why NNAPI has no such weights; null where they are symmetric signed bytes. */
    static Reason unfit(Tensor weight) {
        Quantization.PerChannel q = (Quantization.PerChannel) weight.quantization();
        if (weight.dtype() != DType.QINT8 || q.axis() != 0 || q.floatQParams()) {
            return new Reason(
                    "weights with a scale a channel are signed bytes",
                    weight.toString(),
                    "qint8 with scales along dimension 0");
        }
        return Arrays.stream(q.zeroPoints())
                .filter(zeroPoint -> zeroPoint != 0)
                .mapToObj(zeroPoint ->
                        new Reason("weights with a scale a channel are symmetric", "zero point " + zeroPoint, "0"))
                .findFirst()
                .orElse(null);
    }

    private static float[] scales(Tensor weight) {
        Quantization.PerChannel q = (Quantization.PerChannel) weight.quantization();
        float[] scales = new float[q.scales().length];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (float) q.scales()[i];
        }
        return scales;
    }

    private static Tensor bytes(Tensor weight) {
        Tensor dense = weight.contiguous();
        byte[] values = new byte[Math.toIntExact(dense.numel())];
        System.arraycopy(dense.storage().byteArray(), dense.offset(), values, 0, values.length);
        return Tensor.of(DType.INT8, values, dense.sizes());
    }

    /** A bias in steps of the products: the input's scale times the channel's, as QNNPACK counts them. */
    private static OperandRef offset(NnapiBuilder nnapi, Tensor bias, Tensor weight, double scale) {
        int channels = weight.size(0);
        int[] steps = ProductScales.of(weight, DType.QUINT8, scale, 1)
                .bias(bias == null ? Tensor.zeros(DType.FLOAT32, channels) : bias, channels);
        return nnapi.constant(Tensor.of(DType.INT32, steps, channels));
    }

    /**
     * The real numbers that QNNPACK adds to a product of bytes, where NNAPI multiplies what those stand for: whole
     * steps of the product's scale. Without that, as much of a step moves results that nearly tie.
     *
     * @param bias or null for zeros
     * @param scale of the other factor
     */
    public static Tensor stepped(Tensor bias, Tensor weight, int channels, double scale) {
        if (bias == null) {
            return Tensor.zeros(DType.FLOAT32, channels);
        }
        ProductScales scales = ProductScales.of(weight, DType.QUINT8, scale, 1);
        int[] steps = scales.bias(bias, channels);
        float[] real = new float[channels];
        for (int c = 0; c < channels; c++) {
            real[c] = steps[c] * scales.products()[scales.products().length == 1 ? 0 : c];
        }
        return Tensor.of(real, channels);
    }
}
