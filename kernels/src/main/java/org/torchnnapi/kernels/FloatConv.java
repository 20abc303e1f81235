package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * A float convolution of one image, of any kind {@link ConvShape} describes, with its weights packed: ordinary,
 * grouped, depthwise or transposed. A fully connected layer over M rows is a 1x1 convolution of an M x 1 image in
 * {@link ImageLayout#NHWC}.
 */
public final class FloatConv {
    private final ConvShape shape;
    private final int inSize;
    private final int outSize;
    private final FloatConvKernel kernel;

    private FloatConv(ConvShape shape, int inSize, int outSize, FloatConvKernel kernel) {
        this.shape = shape;
        this.inSize = inSize;
        this.outSize = outSize;
        this.kernel = kernel;
    }

    /**
     * Packs the weights, or finds what was packed of them for another plan.
     *
     * @param weights {@code [outC][inC / groups][kernelH][kernelW]}; transposed {@code [inC][outC /
     *     groups][kernelH][kernelW]}
     * @param bias one an output channel, or null for none
     */
    public static FloatConv plan(
            ConvShape shape,
            ImageLayout in,
            ImageLayout out,
            Weights weights,
            float[] bias,
            Activation activation,
            Precision precision) {
        FloatConvSpec spec = check(shape, in, out, weights, bias, activation, precision);
        return new FloatConv(
                shape,
                in.size(shape.inC(), shape.inH(), shape.inW()),
                out.size(shape.outC(), shape.outH(), shape.outW()),
                Kernels.floats(shape).conv(spec));
    }

    /** As {@link #plan(ConvShape, ImageLayout, ImageLayout, Weights, float[], Activation, Precision)}, in 32 bits. */
    public static FloatConv plan(
            ConvShape shape, ImageLayout in, ImageLayout out, Weights weights, float[] bias, Activation activation) {
        return plan(shape, in, out, weights, bias, activation, Precision.FLOAT32);
    }

    /** As {@link #plan(ConvShape, ImageLayout, ImageLayout, Weights, float[], Activation)}, of an array. */
    public static FloatConv plan(
            ConvShape shape, ImageLayout in, ImageLayout out, float[] weights, float[] bias, Activation activation) {
        return plan(shape, in, out, Weights.of(weights), bias, activation);
    }

    /** As {@link #plan(ConvShape, ImageLayout, ImageLayout, float[], float[], Activation)}, with limits alone. */
    public static FloatConv plan(
            ConvShape shape, ImageLayout in, ImageLayout out, float[] weights, float[] bias, Clamp clamp) {
        return plan(shape, in, out, weights, bias, Activation.of(clamp));
    }

    /** Checks what {@link #plan} takes. */
    static FloatConvSpec check(
            ConvShape shape,
            ImageLayout in,
            ImageLayout out,
            Weights weights,
            float[] bias,
            Activation activation,
            Precision precision) {
        shape.requireOutput();
        Check.length("weights", weights.length(), shape.weightCount());
        if (bias != null) {
            Check.length("bias", bias.length, shape.outC());
        }
        return new FloatConvSpec(
                shape, in, out, weights, bias == null ? new float[shape.outC()] : bias, activation, precision);
    }

    /** Bytes of weights that a plan keeps, about. */
    public static long packedBytes(ConvShape shape, ImageLayout in, ImageLayout out, Precision precision) {
        return Kernels.floats(shape).packedBytes(shape, in, out, precision);
    }

    public ConvShape shape() {
        return shape;
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /** Whether units that one thread does one after the other take less than by several. */
    public boolean adjoining() {
        return kernel.adjoining();
    }

    /** Does units [begin, end) of one image. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        kernel.run(in, inOffset, null, 0, out, outOffset, begin, end);
    }

    /**
     * Does units [begin, end) of one image, adding an image in the output's layout before the activation.
     *
     * @param residual may share its place with the output
     */
    public void runAdding(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("residual", residual.length, residualOffset, outSize);
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        kernel.run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    /**
     * Does units [begin, end) of the same image as before, by the thread that did the units before {@code begin} last,
     * and no convolution since: what it prepared for them is used again.
     *
     * @param residual as {@link #runAdding} takes it; null for none
     */
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        if (residual != null) {
            Check.room("residual", residual.length, residualOffset, outSize);
        }
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        kernel.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    /** Does a whole image over the threads of a pool. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, KernelPool pool) {
        pool.run(units(), adjoining(), new KernelPool.Task() {
            @Override
            public void run(int begin, int end) {
                FloatConv.this.run(in, inOffset, out, outOffset, begin, end);
            }

            @Override
            public void resume(int begin, int end) {
                FloatConv.this.resume(in, inOffset, null, 0, out, outOffset, begin, end);
            }
        });
    }
}
