package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A two-dimensional convolution of bytes: 32-bit sums of {@code (input - its zero point) * (weight - its zero point)}
 * plus bias, requantized. Inputs: the images and, where there is a sum, what is added to the requantized bytes.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 * @param weights as {@link ConvolutionOp}'s
 * @param bias one an output channel, in units of input scale times weight scale; null for none
 * @param requantization from sums to bytes of {@code output}, with the activation in its limits
 * @param output what the result's bytes stand for; of the input's element
 * @param sum of the requantized bytes, first, and of the second input; null for none
 */
public record QuantizedConvolutionOp(
        ConvShape shape,
        ImageLayout order,
        QuantizedWeights weights,
        int[] bias,
        Requantization requantization,
        ByteQuantization output,
        QuantizedSum sum)
        implements Op {
    public QuantizedConvolutionOp {
        WeightProducts.check(shape, order, weights.values().length, bias == null ? shape.outC() : bias.length);
    }

    public QuantizedConvolutionOp(
            ConvShape shape,
            ImageLayout order,
            QuantizedWeights weights,
            int[] bias,
            Requantization requantization,
            ByteQuantization output) {
        this(shape, order, weights, bias, requantization, output, null);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, sum == null ? 1 : 2, sum == null ? 1 : 2);
        ValueType in = Require.bytes("input", inputs.get(0));
        int batch = Require.batch(in, order, shape.inC(), shape.inH(), shape.inW());
        Require.element("output", output, in);
        ValueType result =
                ValueType.bytes(output, Require.images(order, batch, shape.outC(), shape.outH(), shape.outW()));
        if (sum != null) {
            Require.sameShape("addend", Require.bytes("addend", inputs.get(1)), result.shape());
        }
        return result;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return input == 0 && QuantizedConv.readsAnyLayout(shape) ? null : ImageStorage.of(order, ImageLayout.NHWC);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage together = ImageStorage.of(order, ImageLayout.NHWC);
        ImageStorage input = QuantizedConv.readsAnyLayout(shape) ? Require.suited(actual[0], order) : together;
        return new LayoutAssignment(
                inputs.size() == 1 ? new ImageStorage[] {input} : new ImageStorage[] {input, together}, together);
    }

    @Override
    public Op limited(int min, int max) {
        return sum == null
                ? new QuantizedConvolutionOp(
                        shape, order, weights, bias, TableOp.limited(requantization, output, min, max), output)
                : new QuantizedConvolutionOp(
                        shape, order, weights, bias, requantization, output, sum.limited(min, max));
    }

    @Override
    public Op applying(TableOp function) {
        return sum == null && function.output().element() == output.element()
                ? new QuantizedConvolutionOp(
                        shape, order, weights, bias, requantization.mapped(function.table()), function.output())
                : null;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        QuantizedConv conv = QuantizedConv.plan(
                shape,
                in.storage().layout(order, in.type()),
                out.storage().layout(order, out.type()),
                output.element().isSigned(),
                in.type().zeroPoint(),
                weights,
                bias,
                requantization);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        PlacedValue addend = sum == null ? null : operands.in(1);
        Step step = Step.keeping(in.type().dimension(0), conv.units(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] added = addend == null ? null : addend.bytes(memory);
            byte[] to = out.bytes(memory);
            return (image, begin, end, again) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + image * outSize;
                int addedAt = addend == null ? 0 : addend.at(memory) + image * outSize;
                if (again) {
                    conv.runAgain(from, inAt, added, addedAt, sum, to, outAt, begin, end);
                } else if (added == null) {
                    conv.run(from, inAt, to, outAt, begin, end);
                } else {
                    conv.runAdding(from, inAt, added, addedAt, sum, to, outAt, begin, end);
                }
            };
        });
        return conv.adjoining() ? step.asAdjoining() : step;
    }

    @Override
    public long packedBytes() {
        return weights.values().length;
    }

    @Override
    public long weightWork(Operands operands) {
        return packedBytes() * WeightProducts.pixels(shape, operands);
    }

    @Override
    public String label() {
        return WeightProducts.label(shape) + label(requantization) + (sum == null ? "" : " and sum");
    }

    static String label(Requantization rule) {
        return rule.table() == null ? "" : " by table";
    }
}
