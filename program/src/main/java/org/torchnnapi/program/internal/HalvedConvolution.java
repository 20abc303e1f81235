package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.ScaledConv;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;

/**
 * A pointwise convolution whose result is left as two images a batch has, one behind the other, that are still to be
 * added up: the sums over the first half of the input channels and over the second. Threads that have computed one half
 * of the channels each go on with that half, and read of each other's results the few output channels instead of the
 * many input channels. Which sums there are does not depend on how many threads there are. Inputs: the images and, if
 * there is a second, what is added to the result, as such halves or as images, which are added to the first half.
 *
 * @param convolution pointwise, of one group, without an activation
 * @param excitation what the input channels are multiplied with; the first input is then a {@link ExpandDepthwise} with
 *     what it squeezes. Null for images as they are
 */
record HalvedConvolution(ConvolutionOp convolution, SqueezeExcite excitation) implements Op {
    /** Inputs for each output from which the halves are less to exchange than the inputs. */
    private static final int LEAST_NARROWING = 2;

    static boolean pays(ConvolutionOp convolution) {
        ConvShape shape = convolution.shape();
        return convolution.activation().isNone()
                && shape.inC() >= LEAST_NARROWING * shape.outC()
                && firstChannels(shape.inC()) > 0;
    }

    /**
     * Channels of the first half; whole blocks, as many as a thread takes that shares the work on them with another.
     */
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
        ConvShape shape = convolution.shape();
        int batch = inputs.get(0).dimension(0);
        boolean channelsFirst = convolution.order() == ImageLayout.NCHW;
        return channelsFirst
                ? ValueType.floats(2 * batch, shape.outC(), shape.outH(), shape.outW())
                : ValueType.floats(2 * batch, shape.outH(), shape.outW(), shape.outC());
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return blocked();
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        LayoutAssignment all = LayoutAssignment.all(inputs.size(), blocked());
        if (excitation != null) {
            all.inputs()[0] = ImageStorage.DECLARED;
        }
        return all;
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
        int channels = firstChannels(shape.inC());
        Half first = half(0, channels, convolution.bias());
        Half second = half(channels, shape.inC(), null);
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        PlacedValue addend = operands.count() == 1 ? null : operands.in(1);
        int batch = in.type().dimension(0);
        int inSize = in.size() / batch;
        int outSize = out.imageSize();
        int secondAt = channels * shape.inH() * shape.inW();
        int addends = addend == null ? 0 : addend.type().dimension(0) / batch;
        Step.BandBinding binding = memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            float[] added = addend == null ? null : addend.floats(memory);
            return (image, begin, end, resumed) -> {
                int inAt = in.at(memory) + image * inSize;
                int outAt = out.at(memory) + 2 * image * outSize;
                int addedAt = addend == null ? 0 : addend.at(memory) + addends * image * outSize;
                int firstEnd = Math.min(end, first.units());
                int secondBegin = Math.max(begin - first.units(), 0);
                if (begin < firstEnd) {
                    first.run(
                            from, inAt, inAt, resumed, addends > 0 ? added : null, addedAt, to, outAt, begin, firstEnd);
                }
                if (secondBegin < end - first.units()) {
                    second.run(
                            from,
                            inAt,
                            inAt + secondAt,
                            resumed && secondBegin > 0,
                            addends > 1 ? added : null,
                            addedAt + outSize,
                            to,
                            outAt + outSize,
                            secondBegin,
                            end - first.units());
                }
            };
        };
        int units = first.units() + second.units();
        if (excitation != null) {
            // Who does the units of a half computes its factors, so they should be one thread's.
            return Step.bands(batch, units, binding);
        }
        return Step.images(batch, units, memory -> {
                    Step.BandTask task = binding.to(memory);
                    return (image, begin, end) -> task.run(image, begin, end, false);
                })
                .joined((long) batch * convolution.weights().length() * shape.outH() * shape.outW());
    }

    /** Of the weights of a pointwise convolution those of input channels [begin, end). */
    private record InputChannels(int channels, int begin, int end) implements Weights.Rule {
        @Override
        public int length(int given) {
            return given / channels * (end - begin);
        }

        @Override
        public float[] of(float[] given) {
            float[] some = new float[length(given.length)];
            for (int out = 0; out < given.length / channels; out++) {
                System.arraycopy(given, out * channels + begin, some, out * (end - begin), end - begin);
            }
            return some;
        }
    }

    /** The convolution of some input channels. */
    private interface Half {
        int units();

        /**
         * @param imageAt where the image begins
         * @param inAt where these channels of it do
         * @param added null for nothing
         */
        void run(
                float[] in,
                int imageAt,
                int inAt,
                boolean resumed,
                float[] added,
                int addedAt,
                float[] out,
                int outAt,
                int begin,
                int end);
    }

    private record PlainHalf(FloatConv conv) implements Half {
        @Override
        public int units() {
            return conv.units();
        }

        @Override
        public void run(
                float[] in,
                int imageAt,
                int inAt,
                boolean resumed,
                float[] added,
                int addedAt,
                float[] out,
                int outAt,
                int begin,
                int end) {
            if (added == null) {
                conv.run(in, inAt, out, outAt, begin, end);
            } else {
                conv.runAdding(in, inAt, added, addedAt, out, outAt, begin, end);
            }
        }
    }

    private record ScaledHalf(ScaledConv conv, SqueezeExcite.Factors factors, int partsAt) implements Half {
        @Override
        public int units() {
            return conv.units();
        }

        @Override
        public void run(
                float[] in,
                int imageAt,
                int inAt,
                boolean resumed,
                float[] added,
                int addedAt,
                float[] out,
                int outAt,
                int begin,
                int end) {
            if (resumed) {
                conv.resume(in, inAt, added, addedAt, out, outAt, begin, end);
            } else {
                conv.run(
                        in,
                        inAt,
                        factors.of(in, imageAt + partsAt),
                        factors.at(),
                        added,
                        addedAt,
                        out,
                        outAt,
                        begin,
                        end);
            }
        }
    }

    /** The convolution of input channels [begin, end). */
    private Half half(int begin, int end, float[] bias) {
        ConvShape shape = convolution.shape();
        Weights some = convolution.weights().made(new InputChannels(shape.inC(), begin, end));
        ConvShape of = shape.channels(end - begin, shape.outC(), 1);
        if (excitation != null) {
            return new ScaledHalf(
                    ScaledConv.plan(of, ImageLayout.BLOCKED, some, bias, convolution.activation()),
                    excitation.factors(begin, end),
                    ImageLayout.BLOCKED.size(shape.inC(), shape.inH(), shape.inW()));
        }
        return new PlainHalf(
                FloatConv.plan(of, ImageLayout.BLOCKED, ImageLayout.BLOCKED, some, bias, convolution.activation()));
    }

    @Override
    public long packedBytes() {
        return convolution.packedBytes()
                + (excitation == null ? 0 : excitation.excite().packedBytes());
    }

    @Override
    public long weightWork(Operands operands) {
        ConvShape shape = convolution.shape();
        long excitations = packedBytes() - convolution.packedBytes();
        return operands.in(0).type().dimension(0)
                * (convolution.packedBytes() * shape.outH() * shape.outW() + excitations);
    }

    @Override
    public String label() {
        return (excitation == null
                        ? ""
                        : "squeeze-excite of " + excitation.excite().label() + ", ") + convolution.label() + " split-k";
    }
}
