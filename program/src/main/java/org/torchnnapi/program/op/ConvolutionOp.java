package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A two-dimensional convolution of floats, of any kind {@link ConvShape} describes, over every image of a batch.
 * Inputs: the images and, if there is a second, what is added to the result before the activation.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 * @param weights {@code [outC][inC / groups][kernelH][kernelW]}; transposed {@code [inC][outC /
 *     groups][kernelH][kernelW]}
 * @param bias one an output channel, or null for none
 */
public record ConvolutionOp(
        ConvShape shape, ImageLayout order, Weights weights, float[] bias, Activation activation, Precision precision)
        implements Convolving {
    /** In floats of 32 bits. */
    public ConvolutionOp(ConvShape shape, ImageLayout order, Weights weights, float[] bias, Activation activation) {
        this(shape, order, weights, bias, activation, Precision.FLOAT32);
    }

    public ConvolutionOp(ConvShape shape, ImageLayout order, Weights weights, float[] bias, Clamp clamp) {
        this(shape, order, weights, bias, Activation.of(clamp));
    }

    /** @param weights are kept */
    public ConvolutionOp(ConvShape shape, ImageLayout order, float[] weights, float[] bias, Clamp clamp) {
        this(shape, order, Weights.of(weights), bias, clamp);
    }

    public ConvolutionOp {
        WeightProducts.check(shape, order, weights.length(), bias == null ? shape.outC() : bias.length);
    }

    @Override
    public Convolving with(Weights newWeights, float[] newBias, Activation newActivation) {
        return new ConvolutionOp(shape, order, newWeights, newBias, newActivation, precision);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 1, 2);
        int batch = Require.batch(Require.floats("input", inputs.get(0)), order, shape.inC(), shape.inH(), shape.inW());
        ValueType result = ValueType.floats(Require.images(order, batch, shape.outC(), shape.outH(), shape.outW()));
        if (inputs.size() == 2) {
            Require.sameShape("addend", Require.floats("addend", inputs.get(1)), result.shape());
        }
        return result;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        // Kernels write full blocks of channels fastest; another order of them is cheaper made afterwards.
        ImageStorage output = shape.outH() * shape.outW() == 1
                ? ImageStorage.DECLARED
                : wish != null && wish.suits(order) && shape.outC() < Kernels.channelBlock()
                        ? wish
                        : ImageStorage.of(order, Kernels.preferredFloatLayout());
        ImageStorage input = WeightProducts.storage(shape, order, actual[0]);
        return new LayoutAssignment(
                inputs.size() == 1 ? new ImageStorage[] {input} : new ImageStorage[] {input, output}, output);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        FloatConv conv = FloatConv.plan(
                shape,
                in.storage().layout(order, in.type()),
                out.storage().layout(order, out.type()),
                weights,
                bias,
                activation,
                precision);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        int batch = in.type().dimension(0);
        PlacedValue addend = operands.count() == 1 ? null : operands.in(1);
        Step.BandBinding binding = memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            float[] added = addend == null ? null : addend.floats(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + image * outSize;
                int addedAt = addend == null ? 0 : addend.at(memory) + image * outSize;
                if (resumed) {
                    conv.resume(from, inAt, added, addedAt, to, outAt, begin, end);
                } else if (added == null) {
                    conv.run(from, inAt, to, outAt, begin, end);
                } else {
                    conv.runAdding(from, inAt, added, addedAt, to, outAt, begin, end);
                }
            };
        };
        if (conv.adjoining()) {
            return Step.bands(batch, conv.units(), binding);
        }
        return Step.images(batch, conv.units(), memory -> {
                    Step.BandTask task = binding.to(memory);
                    return (image, begin, end) -> task.run(image, begin, end, false);
                })
                .joined((long) batch * weights.length() * shape.outH() * shape.outW());
    }

    @Override
    public long packedBytes(Operands operands) {
        return FloatConv.packedBytes(
                shape,
                operands.in(0).storage().layout(order, operands.in(0).type()),
                operands.out().storage().layout(order, operands.out().type()),
                precision);
    }

    /** Whether this machine computes it with 16-bit floats: alone, since no chain of convolutions does. */
    public boolean isOfHalves() {
        return precision == Precision.FLOAT16 && Kernels.computesHalves();
    }

    @Override
    public String label() {
        return WeightProducts.label(shape) + WeightProducts.label(activation);
    }
}
