package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.Arrangement;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Quantization;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A two-dimensional convolution of bytes: 32-bit sums of {@code (input - its zero point) * (weight - its zero point)} plus bias,
 * requantized. Input: the images.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 * @param weights as {@link Convolution}'s
 * @param bias one an output channel, in units of input scale times weight scale; null for none
 * @param requantization from sums to bytes of {@code output}, with the activation in its limits
 * @param output what the result's bytes stand for; of the input's element
 */
public record QuantizedConvolution(ConvShape shape, ImageLayout order, QuantizedWeights weights, int[] bias, Requantization requantization,
                                   Quantization output) implements Op {
    public QuantizedConvolution {
        Products.check(shape, order, weights.values().length, bias == null ? shape.outC() : bias.length);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.bytes("input", Require.only(inputs));
        int batch = Require.batch(in, order, shape.inC(), shape.inH(), shape.inW());
        Require.element("output", output, in);
        return ValueType.bytes(output, Require.images(order, batch, shape.outC(), shape.outH(), shape.outW()));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return ImageStorage.of(order, ImageLayout.NHWC);
    }

    @Override
    public Arrangement arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return Arrangement.all(1, ImageStorage.of(order, ImageLayout.NHWC));
    }

    @Override
    public Op limited(int min, int max) {
        return new QuantizedConvolution(shape, order, weights, bias, requantization.limited(min, max), output);
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        QuantizedConv conv = QuantizedConv.plan(shape, in.storage().layout(order, in.type()), out.storage().layout(order, out.type()),
                output.element().isSigned(), in.type().zeroPoint(), weights, bias, requantization);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        return Step.images(in.type().dimension(0), conv.units(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (image, begin, end) -> conv.run(from, in.offset() + image * inSize, to, out.offset() + image * outSize, begin, end);
        });
    }

    @Override
    public long packedBytes() {
        return weights.values().length;
    }

    @Override
    public String label() {
        return Products.label(shape);
    }
}
