package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.QuantizedConvolutionOp;

/**
 * Convolutions of bytes in a {@link QuantizedChain}. Inputs: the images and, where the last one sums, what is added.
 *
 * @param depthwise which of the stages is the depthwise one
 * @param inputs what each stage reads
 */
record QuantizedBlock(List<QuantizedConvolutionOp> stages, int depthwise, List<ValueType> inputs) implements BlockOp {
    @Override
    public ConvShape shape() {
        return stages.get(stages.size() - 1).shape();
    }

    @Override
    public ValueType result(List<ValueType> types) {
        List<ValueType> last = new ArrayList<>(types);
        last.set(0, inputs.get(stages.size() - 1));
        return stages.get(stages.size() - 1).result(last);
    }

    @Override
    public ImageStorage wish(List<ValueType> types, int input, ImageStorage output) {
        return ImageStorage.of(stages.get(0).order(), ImageLayout.NHWC);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> types, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(types.size(), ImageStorage.of(stages.get(0).order(), ImageLayout.NHWC));
    }

    private QuantizedChain.Stage stage(int at) {
        if (at < 0 || at >= stages.size()) {
            return null;
        }
        QuantizedConvolutionOp stage = stages.get(at);
        ValueType in = inputs.get(at);
        return new QuantizedChain.Stage(
                stage.shape(),
                in.element().isSigned(),
                in.zeroPoint(),
                stage.weights(),
                stage.bias(),
                stage.requantization());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        QuantizedSum sum = stages.get(stages.size() - 1).sum();
        PlacedValue addend = sum == null ? null : operands.in(1);
        QuantizedChain chain = QuantizedChain.plan(
                stage(depthwise - 1), stage(depthwise), stage(depthwise + 1), ImageLayout.NHWC, ImageLayout.NHWC, sum);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        return Step.bands(in.type().dimension(0), chain.units(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] added = addend == null ? null : addend.bytes(memory);
            int addedAt = addend == null ? 0 : addend.at(memory);
            byte[] to = out.bytes(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + image * outSize;
                int imageAddedAt = added == null ? 0 : addedAt + image * outSize;
                if (resumed) {
                    chain.resume(from, inAt, added, imageAddedAt, to, outAt, begin, end);
                } else {
                    chain.run(from, inAt, added, imageAddedAt, to, outAt, begin, end);
                }
            };
        });
    }
}
