package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.ReduceOp;

/**
 * A convolution or two in a {@link FloatWidening}.
 *
 * @param depthwise null for none
 * @param halves whether the input is what {@link HalvedConvolution} makes of the images
 * @param squeeze what is multiplied with the means of the result's channels; for each image of the batch the result
 *     then has the image as it lies in blocks and behind it what {@link FloatWidening.Squeeze} says, in a shape of as
 *     many rows as there are channels that is just large enough; null for images alone
 * @param means what takes the means of the channels where they are all that is wanted; then there is neither a
 *     depthwise convolution nor a squeeze. Null for none
 */
record ExpandDepthwise(
        ConvolutionOp expand, ConvolutionOp depthwise, boolean halves, ConvolutionOp squeeze, ReduceOp means)
        implements BlockOp {
    ExpandDepthwise(ConvolutionOp expand, ConvolutionOp depthwise, boolean halves) {
        this(expand, depthwise, halves, null, null);
    }

    ExpandDepthwise squeezing(ConvolutionOp of) {
        return new ExpandDepthwise(expand, depthwise, halves, of, null);
    }

    /** The means of the channels alone; there is no depthwise convolution. */
    ExpandDepthwise reducedTo(ReduceOp means) {
        return new ExpandDepthwise(expand, null, halves, null, means);
    }

    /** The same of halves. */
    ExpandDepthwise ofHalves() {
        return new ExpandDepthwise(expand, depthwise, true, squeeze, means);
    }

    @Override
    public List<ConvolutionOp> stages() {
        return depthwise == null ? List.of(expand) : List.of(expand, depthwise);
    }

    @Override
    public ConvShape shape() {
        return last().shape();
    }

    @Override
    public long packedBytes() {
        return BlockOp.super.packedBytes() + (squeeze == null ? 0 : squeeze.packedBytes());
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType images = halves ? HalvedConvolution.sum(inputs.get(0)) : inputs.get(0);
        ValueType wide = expand.result(List.of(images));
        ValueType last = depthwise == null ? wide : depthwise.result(List.of(wide));
        if (means != null) {
            return means.result(List.of(last));
        }
        if (squeeze == null) {
            return last;
        }
        ConvShape shape = last().shape();
        int size = ImageLayout.BLOCKED.size(shape.outC(), shape.outH(), shape.outW());
        int squeezed = FloatWidening.Squeeze.parts(shape)
                * FloatWidening.Squeeze.step(squeeze.shape().outC());
        return ValueType.floats(
                last.dimension(0), shape.outC(), (Math.addExact(size, squeezed) + shape.outC() - 1) / shape.outC());
    }

    /** The stage that makes the result. */
    ConvolutionOp last() {
        return depthwise == null ? expand : depthwise;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return null;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage blocked = ImageStorage.of(expand.order(), ImageLayout.BLOCKED);
        return new LayoutAssignment(
                new ImageStorage[] {
                    halves ? blocked : expand.arrange(inputs, actual, null).inputs()[0]
                },
                squeeze == null && means == null ? blocked : ImageStorage.DECLARED);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        FloatWidening widening = plan(in.storage().layout(expand.order(), in.type()));
        int batch = out.type().dimension(0);
        int inSize = in.size() / batch;
        int outSize = out.size() / batch;
        return Step.bands(batch, widening.units(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + image * outSize;
                if (resumed) {
                    widening.resume(from, inAt, to, outAt, begin, end);
                } else {
                    widening.run(from, inAt, to, outAt, begin, end);
                }
            };
        });
    }

    private FloatWidening plan(ImageLayout in) {
        return means != null
                ? FloatWidening.planMeans(stage(expand), in, halves)
                : FloatWidening.plan(
                        stage(expand),
                        stage(depthwise),
                        in,
                        halves,
                        squeeze == null
                                ? null
                                : new FloatWidening.Squeeze(squeeze.shape().outC(), squeeze.weights()));
    }

    private static FloatChain.Stage stage(ConvolutionOp stage) {
        return stage == null
                ? null
                : new FloatChain.Stage(stage.shape(), stage.weights(), stage.bias(), stage.activation());
    }

    @Override
    public String label() {
        return (depthwise == null ? expand.label() : BlockOp.super.label())
                + (halves ? " from split-k" : "")
                + (squeeze == null ? "" : ", means by " + squeeze.label())
                + (means == null ? "" : ", " + means.label());
    }
}
