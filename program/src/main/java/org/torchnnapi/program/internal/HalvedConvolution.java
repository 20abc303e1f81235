package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.Arrangement;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.Convolution;

/**
 * A pointwise convolution whose result is left as two images a batch has, one behind the other, that are still to be added up: the sums over
 * the first half of the input channels and over the second. Threads that have computed one half of the channels each go on with that half,
 * and read of each other's results the few output channels instead of the many input channels. Which sums there are does not depend on how
 * many threads there are. Inputs: the images and, if there is a second, what is added to the result, as such halves or as images, which are
 * added to the first half.
 *
 * @param convolution pointwise, of one group, without an activation
 */
record HalvedConvolution(Convolution convolution) implements Op {
    /** Inputs for each output from which the halves are less to exchange than the inputs. */
    private static final int LEAST_NARROWING = 2;

    static boolean pays(Convolution convolution) {
        ConvShape shape = convolution.shape();
        return convolution.activation().isNone() && shape.inC() >= LEAST_NARROWING * shape.outC() && firstChannels(shape.inC()) > 0;
    }

    /** Channels of the first half; whole blocks, as many as a thread takes that shares the work on them with another. */
    private static int firstChannels(int channels) {
        int block = Kernels.channelBlock();
        int blocks = (channels + block - 1) / block;
        return blocks < 2 ? 0 : (blocks + 1) / 2 * block;
    }

    /** The type of the images that such halves add up to. */
    static ValueType sum(ValueType halves) {
        return withBatch(halves, halves.dimension(0) / 2);
    }

    private static ValueType withBatch(ValueType images, int batch) {
        int[] shape = images.shape().clone();
        shape[0] = batch;
        return images.withShape(shape);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType images = convolution.result(inputs.subList(0, 1));
        return withBatch(images, 2 * images.dimension(0));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return blocked();
    }

    @Override
    public Arrangement arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return Arrangement.all(inputs.size(), blocked());
    }

    private ImageStorage blocked() {
        return ImageStorage.of(convolution.order(), ImageLayout.BLOCKED);
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 1 && operands.in(1).type().equals(operands.out().type());
    }

    @Override
    public Step compile(Operands operands) {
        ConvShape shape = convolution.shape();
        float[] weights = convolution.weights().values();
        int channels = firstChannels(shape.inC());
        FloatConv first = half(weights, 0, channels, convolution.bias());
        FloatConv second = half(weights, channels, shape.inC(), null);
        Operand in = operands.in(0);
        Operand out = operands.out();
        Operand addend = operands.count() == 1 ? null : operands.in(1);
        int batch = in.type().dimension(0);
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        int secondAt = channels * shape.inH() * shape.inW();
        int addends = addend == null ? 0 : addend.type().dimension(0) / batch;
        return Step.images(batch, first.units() + second.units(), memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            float[] added = addend == null ? null : addend.floats(memory);
            return (image, begin, end) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + 2 * image * outSize;
                int addedAt = addend == null ? 0 : addend.at(memory) + addends * image * outSize;
                run(first, from, inAt, addends > 0 ? added : null, addedAt, to, outAt, begin, Math.min(end, first.units()));
                run(second, from, inAt + secondAt, addends > 1 ? added : null, addedAt + outSize, to, outAt + outSize,
                        Math.max(begin - first.units(), 0), end - first.units());
            };
        }).joined((long) batch * weights.length * shape.outH() * shape.outW());
    }

    private static void run(FloatConv half, float[] in, int inAt, float[] added, int addedAt, float[] out, int outAt, int begin, int end) {
        if (begin >= end) {
            return;
        }
        if (added == null) {
            half.run(in, inAt, out, outAt, begin, end);
        } else {
            half.runAdding(in, inAt, added, addedAt, out, outAt, begin, end);
        }
    }

    /** The convolution of input channels [begin, end). */
    private FloatConv half(float[] weights, int begin, int end, float[] bias) {
        ConvShape shape = convolution.shape();
        float[] some = new float[shape.outC() * (end - begin)];
        for (int out = 0; out < shape.outC(); out++) {
            System.arraycopy(weights, out * shape.inC() + begin, some, out * (end - begin), end - begin);
        }
        return FloatConv.plan(ConvShape.of(end - begin, shape.inH(), shape.inW(), shape.outC(), 1, 1), ImageLayout.BLOCKED, ImageLayout.BLOCKED,
                some, bias, convolution.activation());
    }

    @Override
    public long packedBytes() {
        return convolution.packedBytes();
    }

    @Override
    public String label() {
        return convolution.label() + " in halves";
    }
}
