package org.torchnnapi.operators.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Convolutions of quantized images with QNNPACK's arithmetic, bit for bit. */
final class QuantizedProducts {
    private QuantizedProducts() {}

    /**
     * @param input per-tensor quantized, {@code [batch, channels, height, width]}
     * @param relu whether negative results become zero
     * @return of the input's type, in channels-last order as QNNPACK gives it
     */
    static Tensor convolve(Tensor input, ConvolutionParams params, double scale, int zeroPoint, boolean relu) {
        if (input.rank() != 4) {
            throw new IllegalArgumentException("input: " + input + " (expected: 4 dimensions)");
        }
        Quantization.PerTensor in = QuantizedMath.perTensor(input);
        List<Object> key = new ArrayList<>(List.of(
                input.size(1),
                input.size(2),
                input.size(3),
                in.scale(),
                in.zeroPoint(),
                input.dtype(),
                scale,
                zeroPoint,
                relu));
        QuantizedConv plan = params.plan(key, () -> plan(input, in, params, scale, zeroPoint, relu));
        ConvShape shape = plan.shape();
        Tensor image = input.contiguous(MemoryFormat.CHANNELS_LAST);
        Tensor out = Tensors.empty(
                        input.dtype(),
                        MemoryFormat.CHANNELS_LAST,
                        input.size(0),
                        shape.outC(),
                        shape.outH(),
                        shape.outW())
                .withQuantization(new Quantization.PerTensor(scale, zeroPoint));
        int inSize = shape.inC() * shape.inH() * shape.inW();
        int outSize = shape.outC() * shape.outH() * shape.outW();
        for (int b = 0; b < input.size(0); b++) {
            plan.run(
                    image.storage().byteArray(),
                    image.offset() + b * inSize,
                    out.storage().byteArray(),
                    b * outSize,
                    KernelPool.shared());
        }
        return out;
    }

    private static QuantizedConv plan(
            Tensor input,
            Quantization.PerTensor in,
            ConvolutionParams params,
            double scale,
            int zeroPoint,
            boolean relu) {
        Tensor weight = params.weight().contiguous();
        boolean transposed = params.transposed();
        int channels = transposed ? weight.size(0) : weight.size(1) * params.groups();
        if (input.size(1) != channels) {
            throw new IllegalArgumentException(
                    "channels: " + input.size(1) + " (expected: " + channels + ", as the weight has)");
        }
        ConvShape shape = ConvShape.of(
                        channels, input.size(2), input.size(3), params.outputChannels(), weight.size(2), weight.size(3))
                .stride(params.stride()[0], params.stride()[1])
                .dilation(params.dilation()[0], params.dilation()[1])
                .padding(params.padding()[0], params.padding()[1])
                .groups(params.groups());
        if (transposed) {
            shape = shape.transposed(params.outputPadding()[0], params.outputPadding()[1]);
        }
        ProductScales scales = ProductScales.of(weight, input.dtype(), in.scale(), scale);
        return QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                input.dtype() == DType.QINT8,
                in.zeroPoint(),
                new QuantizedWeights(bytes(weight), weight.dtype() == DType.QINT8, scales.zeroPoints()),
                scales.bias(params.bias(), params.outputChannels()),
                scales.requantization(zeroPoint, input.dtype(), relu));
    }

    /** A matrix product: {@code [.., in]} times the rows of the weight {@code [out, in]}. */
    static Tensor multiply(Tensor input, Tensor weight, Tensor bias, double scale, int zeroPoint, boolean relu) {
        Quantization.PerTensor in = QuantizedMath.perTensor(input);
        int width = weight.size(1);
        int rows = rows(input, width);
        int[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = weight.size(0);
        Tensor out = Tensors.empty(input.dtype(), sizes).withQuantization(new Quantization.PerTensor(scale, zeroPoint));
        if (rows == 0) {
            return out;
        }
        ProductScales scales = ProductScales.of(weight, input.dtype(), in.scale(), scale);
        QuantizedConv plan = QuantizedConv.plan(
                ConvShape.of(width, 1, rows, weight.size(0), 1, 1),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                input.dtype() == DType.QINT8,
                in.zeroPoint(),
                new QuantizedWeights(bytes(weight.contiguous()), weight.dtype() == DType.QINT8, scales.zeroPoints()),
                scales.bias(bias, weight.size(0)),
                scales.requantization(zeroPoint, input.dtype(), relu));
        Tensor dense = input.contiguous();
        plan.run(dense.storage().byteArray(), dense.offset(), out.storage().byteArray(), 0, KernelPool.shared());
        return out;
    }

    /** Number of rows of a matrix {@code [.., width]}. */
    static int rows(Tensor input, int width) {
        if (input.rank() < 1 || input.size(-1) != width) {
            throw new IllegalArgumentException(
                    "input: " + input + " (expected: a last dimension of " + width + ", as the weight has)");
        }
        return width == 0 ? 0 : (int) (input.numel() / width);
    }

    private static byte[] bytes(Tensor dense) {
        int from = dense.offset();
        return Arrays.copyOfRange(dense.storage().byteArray(), from, from + (int) dense.numel());
    }
}
