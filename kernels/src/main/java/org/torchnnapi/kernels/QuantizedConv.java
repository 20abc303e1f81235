package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A convolution of one quantized image, as {@link FloatConv} but over bytes: 32-bit sums of {@code (input - zero point)
 * * (weight - zero point)} plus bias, requantized exactly.
 */
public final class QuantizedConv {
    private final ConvShape shape;
    private final int inSize;
    private final int outSize;
    private final byte[] table;
    /** Of the table, if there is one. */
    private final ByteEpilogue alone;

    private final QuantizedConvKernel kernel;

    private QuantizedConv(ConvShape shape, int inSize, int outSize, byte[] table, QuantizedConvKernel kernel) {
        this.shape = shape;
        this.inSize = inSize;
        this.outSize = outSize;
        this.table = table;
        alone = ByteTable.before(table, null);
        this.kernel = kernel;
    }

    /**
     * Packs the weights.
     *
     * @param signedInput whether input bytes are -128 to 127 (otherwise 0 to 255)
     * @param bias one an output channel, in units of input scale times weight scale, or null for none
     */
    public static QuantizedConv plan(
            ConvShape shape,
            ImageLayout in,
            ImageLayout out,
            boolean signedInput,
            int inputZeroPoint,
            QuantizedWeights weights,
            int[] bias,
            Requantization requantization) {
        QuantizedConvSpec spec =
                check(shape, in, out, signedInput, inputZeroPoint, weights, bias, requantization.alone());
        int inSize = in.size(shape.inC(), shape.inH(), shape.inW());
        int outSize = out.size(shape.outC(), shape.outH(), shape.outW());
        return new QuantizedConv(
                shape,
                inSize,
                outSize,
                requantization.table(),
                Kernels.quantized(shape).conv(spec));
    }

    /** Whether this machine's kernels read an image of any layout as fast as one in {@link ImageLayout#NHWC}. */
    public static boolean readsAnyLayout(ConvShape shape) {
        return Kernels.quantized(shape).readsAnyLayout(shape);
    }

    static QuantizedConvSpec check(
            ConvShape shape,
            ImageLayout in,
            ImageLayout out,
            boolean signedInput,
            int inputZeroPoint,
            QuantizedWeights weights,
            int[] bias,
            Requantization requantization) {
        shape.requireOutput();
        Check.length("weights", weights.values().length, shape.weightCount());
        QuantizedWeights.checkZeroPoint(inputZeroPoint, signedInput);
        if (bias != null) {
            Check.length("bias", bias.length, shape.outC());
        }
        if (weights.zeroPoints().length != 1) {
            Check.length("weight zero points", weights.zeroPoints().length, shape.outC());
        }
        if (requantization.channels() != 1) {
            Check.length("output scales", requantization.channels(), shape.outC());
        }
        return new QuantizedConvSpec(
                shape,
                in,
                out,
                signedInput,
                inputZeroPoint,
                weights,
                bias == null ? new int[shape.outC()] : bias,
                requantization);
    }

    public ConvShape shape() {
        return shape;
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /** Whether units that a thread does one after the other take less than apart. */
    public boolean adjoining() {
        return kernel.adjoining();
    }

    /** Does units [begin, end) of one image. */
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        if (alone == null) {
            kernel.run(in, inOffset, out, outOffset, begin, end);
        } else {
            kernel.runFinishing(in, inOffset, null, 0, alone, out, outOffset, begin, end);
        }
    }

    /**
     * Does units [begin, end) and adds a residual to what they give: {@code out = sum(convolution, residual)}, each
     * rounded on its own.
     *
     * @param residual an image like the output that does not overlap it
     */
    public void runAdding(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            QuantizedSum sum,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("residual", residual.length, residualOffset, outSize);
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        kernel.runFinishing(in, inOffset, residual, residualOffset, after(sum), out, outOffset, begin, end);
    }

    /**
     * Does units [begin, end) as {@link #run(byte[], int, byte[], int, int, int)} or {@link #runAdding}, by the thread
     * whose last work was other units of the same image: what it prepared of the input may be used.
     *
     * @param residual null, as the sum, where there is none
     */
    public void runAgain(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            QuantizedSum sum,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        if (sum != null) {
            Check.room("residual", residual.length, residualOffset, outSize);
        }
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
        kernel.runAgain(in, inOffset, residual, residualOffset, after(sum), out, outOffset, begin, end);
    }

    /** @param sum null for none */
    private ByteEpilogue after(QuantizedSum sum) {
        return sum == null ? alone : ByteTable.before(table, sum);
    }

    /** Does a whole image over the threads of a pool. */
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, KernelPool pool) {
        pool.run(units(), (begin, end) -> run(in, inOffset, out, outOffset, begin, end));
    }
}
