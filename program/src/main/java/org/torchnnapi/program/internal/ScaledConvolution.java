package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ScaledConv;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;

/**
 * A {@link ScaledConv} of each image of a batch. Inputs: the images, what the factors of their channels are made of,
 * and, if there is a third, what is added to the result before the activation.
 *
 * @param convolution pointwise, of one group
 * @param excitation what makes the factors of {@link SumsOfRows}; null where the second input is the factors
 */
record ScaledConvolution(ConvolutionOp convolution, SqueezeExcite excitation) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return convolution.result(inputs.subList(0, 1));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return input == 0 ? null : input == 1 ? ImageStorage.DECLARED : output;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage blocked = ImageStorage.of(convolution.order(), ImageLayout.BLOCKED);
        LayoutAssignment all = LayoutAssignment.all(inputs.size(), blocked);
        all.inputs()[1] = ImageStorage.DECLARED;
        return all;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 2;
    }

    @Override
    public Step compile(Operands operands) {
        ConvShape shape = convolution.shape();
        ScaledConv conv = ScaledConv.plan(
                shape, ImageLayout.BLOCKED, convolution.weights(), convolution.bias(), convolution.activation());
        SqueezeExcite.Factors factors = excitation == null ? null : excitation.factors(0, shape.inC());
        PlacedValue in = operands.in(0);
        PlacedValue given = operands.in(1);
        PlacedValue addend = operands.count() == 2 ? null : operands.in(2);
        PlacedValue out = operands.out();
        int batch = in.type().dimension(0);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        int givenSize = given.size() == shape.inC() ? 0 : given.size() / batch;
        return Step.bands(batch, conv.units(), memory -> {
            float[] from = in.floats(memory);
            float[] second = given.floats(memory);
            float[] added = addend == null ? null : addend.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int givenAt = given.at(memory) + image * givenSize;
                int addedAt = addend == null ? 0 : addend.at(memory) + image * outSize;
                int outAt = out.at(memory) + image * outSize;
                if (resumed) {
                    conv.resume(from, inAt, added, addedAt, to, outAt, begin, end);
                } else if (factors == null) {
                    conv.run(from, inAt, second, givenAt, added, addedAt, to, outAt, begin, end);
                } else {
                    conv.run(
                            from,
                            inAt,
                            factors.of(second, givenAt),
                            factors.at(),
                            added,
                            addedAt,
                            to,
                            outAt,
                            begin,
                            end);
                }
            };
        });
    }

    @Override
    public long packedBytes() {
        return convolution.packedBytes()
                + (excitation == null
                        ? 0
                        : excitation.squeeze().packedBytes()
                                + excitation.excite().packedBytes());
    }

    @Override
    public long weightWork(Operands operands) {
        ConvShape shape = convolution.shape();
        long excitations = packedBytes() - convolution.packedBytes();
        return operands.out().type().dimension(0)
                * (convolution.packedBytes() * shape.outH() * shape.outW() + excitations);
    }

    @Override
    public String label() {
        return (excitation == null
                        ? "scaled "
                        : "squeeze-excite of " + excitation.squeeze().label() + " and "
                                + excitation.excite().label() + ", ")
                + convolution.label();
    }
}
