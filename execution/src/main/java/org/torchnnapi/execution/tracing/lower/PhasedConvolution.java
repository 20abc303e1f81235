package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * A transposed convolution with strides to few channels as an ordinary one: the phases of the result, pixels whose
 * places leave the same rest when divided by the stride, are channels beside each other, which fill vectors that its
 * own channels would not.
 */
final class PhasedConvolution {
    /** What a phase meets of the kernel along one axis: so many taps. */
    private record Reach(int stride, int kernel, int taps) {
        /**
         * The tap of the transposed kernel for one of a phase, which meet the input in the opposite order; -1 for none.
         */
        int tap(int phase, int t) {
            int tap = phase + stride * (taps - 1 - t);
            return tap < kernel ? tap : -1;
        }
    }

    /** The same along one axis of an image: whole strides of the result with what is cropped in front. */
    private record Axis(Reach reach, int in, int strides, int crop, int out) {
        static Axis of(int stride, int kernel, int in, int crop, int out) {
            Reach reach = new Reach(stride, kernel, (kernel + stride - 1) / stride);
            return new Axis(reach, in, Math.max((out - 1 + crop) / stride + 1, in), crop, out);
        }
    }

    private PhasedConvolution() {}

    static boolean suits(ConvShape shape) {
        int phases = shape.isCompact() ? shape.strideH() * shape.strideW() : 1;
        return shape.transposed()
                && shape.groups() == 1
                && shape.dilationH() == 1
                && shape.dilationW() == 1
                && phases > 1
                && 2 * shape.outC() <= Kernels.channelBlock()
                && shape.outC() * phases <= 4 * Kernels.channelBlock();
    }

    /**
     * @param images of the input
     * @param weight [inC, outC, height, width], or without height
     * @param geometry of the result
     */
    static Tensor lower(
            Lowered lowered,
            ConvShape shape,
            Tensor images,
            Tensor weight,
            float[] bias,
            Clamp clamp,
            Tensor geometry) {
        Axis rows = Axis.of(shape.strideH(), shape.kernelH(), shape.inH(), shape.padTop(), shape.outH());
        Axis cols = Axis.of(shape.strideW(), shape.kernelW(), shape.inW(), shape.padLeft(), shape.outW());
        Reach down = rows.reach;
        Reach across = cols.reach;
        int phases = down.stride * across.stride;
        int channels = shape.outC() * phases;
        ConvShape ordinary = ConvShape.of(shape.inC(), shape.inH(), shape.inW(), channels, down.taps, across.taps)
                .padding(down.taps - 1, rows.strides - rows.in, across.taps - 1, cols.strides - cols.in);
        ConvolutionOp op = new ConvolutionOp(
                ordinary,
                ImageLayout.NCHW,
                Support.weights(weight).made(new Phases(shape.inC(), shape.outC(), down, across)),
                biases(bias, phases),
                Activation.of(clamp));
        int batch = images.size(0);
        Tensor beside = lowered.compute(
                op, Lowered.tensor(DType.FLOAT32, null, batch, channels, rows.strides, cols.strides), images);
        Tensor whole = ShuffleLowering.turned(
                lowered,
                beside,
                new int[] {batch, shape.outC(), down.stride, across.stride, rows.strides, cols.strides},
                new int[] {0, 1, 4, 2, 5, 3},
                batch,
                shape.outC(),
                rows.strides * down.stride,
                cols.strides * across.stride);
        SliceOp slice = new SliceOp(
                new int[] {0, 0, rows.crop, cols.crop},
                new int[] {batch, shape.outC(), rows.out, cols.out},
                new int[] {1, 1, 1, 1});
        return lowered.compute(slice, geometry, whole);
    }

    /** The weights of the ordinary convolution. */
    private record Phases(int ins, int outs, Reach rows, Reach cols) implements Weights.Rule {
        @Override
        public int length(int given) {
            return outs * rows.stride * cols.stride * ins * rows.taps * cols.taps;
        }

        @Override
        public float[] of(float[] given) {
            int plane = rows.taps * cols.taps;
            float[] weights = new float[length(given.length)];
            for (int i = 0; i < weights.length; i++) {
                int in = i / plane % ins;
                int channel = i / plane / ins;
                int out = channel / (rows.stride * cols.stride);
                int y = rows.tap(channel / cols.stride % rows.stride, i % plane / cols.taps);
                int x = cols.tap(channel % cols.stride, i % cols.taps);
                weights[i] = y < 0 || x < 0 ? 0 : given[((in * outs + out) * rows.kernel + y) * cols.kernel + x];
            }
            return weights;
        }
    }

    private static float[] biases(float[] bias, int phases) {
        if (bias == null) {
            return null;
        }
        float[] each = new float[bias.length * phases];
        for (int i = 0; i < each.length; i++) {
            each[i] = bias[i / phases];
        }
        return each;
    }
}
