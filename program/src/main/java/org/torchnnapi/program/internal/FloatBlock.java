package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;

/**
 * Convolutions in a {@link FloatChain}. Inputs: the images and, if there is a second, what is added to the result
 * before the activation.
 *
 * @param depthwise which of the stages is the depthwise one
 */
record FloatBlock(List<ConvolutionOp> stages, int depthwise) implements BlockOp {
    @Override
    public ConvShape shape() {
        return last().shape();
    }

    private ConvolutionOp last() {
        return stages.get(stages.size() - 1);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType result = stages.get(0).result(List.of(inputs.get(0)));
        for (int i = 1; i < stages.size(); i++) {
            result = stages.get(i).result(List.of(result));
        }
        return result;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return last().wish(inputs, input, output);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        LayoutAssignment layouts = last().arrange(inputs, actual, wish);
        layouts.inputs()[0] =
                stages.get(0).arrange(inputs.subList(0, 1), actual, null).inputs()[0];
        return layouts;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 1;
    }

    private FloatChain.Stage stage(int at) {
        if (at < 0 || at >= stages.size()) {
            return null;
        }
        ConvolutionOp stage = stages.get(at);
        return new FloatChain.Stage(stage.shape(), stage.weights(), stage.bias(), stage.activation());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        PlacedValue addend = operands.count() == 1 ? null : operands.in(1);
        FloatChain chain = FloatChain.plan(
                stage(depthwise - 1),
                stage(depthwise),
                stage(depthwise + 1),
                in.storage().layout(last().order(), in.type()),
                out.storage().layout(last().order(), out.type()));
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        return Step.bands(in.type().dimension(0), chain.units(), memory -> {
            float[] from = in.floats(memory);
            float[] added = addend == null ? null : addend.floats(memory);
            int addedAt = addend == null ? 0 : addend.at(memory);
            float[] to = out.floats(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + image * outSize;
                if (resumed) {
                    chain.resume(from, inAt, added, addedAt + image * outSize, to, outAt, begin, end);
                } else {
                    chain.run(from, inAt, added, addedAt + image * outSize, to, outAt, begin, end);
                }
            };
        });
    }
}
