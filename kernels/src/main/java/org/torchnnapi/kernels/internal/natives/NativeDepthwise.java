package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * Depthwise convolutions of NHWC images, one filter a channel, whose centred weights fit signed bytes; a unit is an
 * output row.
 */
final class NativeDepthwise implements QuantizedConvKernel {
    /** Of a vector 128 bits wide each, where the kernel takes dot products over four rows; 0 for pairs of taps. */
    private static final int LANES = NativeLibrary.number("depthwise_dots");

    private static final boolean DOTS = LANES != 0;

    private static final int GROUP = 64;
    /** Rows whose bytes a dot product takes. */
    private static final int QUAD = 4;

    private static final int PAIR = 2;
    private final ConvShape shape;
    private final int padded;
    private final NativeMemory struct;
    private final long scratchSize;

    NativeDepthwise(QuantizedConvSpec spec) {
        this(spec, spec.shape().inH(), 0);
    }

    /** With input row y at row {@code y % ring} of a buffer, behind which another {@code slack} bytes may be read. */
    NativeDepthwise(QuantizedConvSpec spec, int ring, int slack) {
        shape = spec.shape();
        padded = (shape.inC() + GROUP - 1) / GROUP * GROUP;
        NativeRequantization rule = new NativeRequantization(
                spec.requantization(), shape.inC(), GROUP, padded, this::channelAt, SumBounds.of(spec));
        struct = new DepthwiseStruct()
                .weights(packWeights(spec))
                .bias(packBias(spec, rule))
                .rule(rule.struct())
                .channels(shape.inC())
                .inH(shape.inH())
                .inW(shape.inW())
                .outW(shape.outW())
                .kernelH(shape.kernelH())
                .kernelW(shape.kernelW())
                .strideH(shape.strideH())
                .strideW(shape.strideW())
                .dilationH(shape.dilationH())
                .dilationW(shape.dilationW())
                .padTop(shape.padTop())
                .padLeft(shape.padLeft())
                .zeroPoint(spec.inputZeroPoint() & 0xff)
                .signedInput(spec.signedInput())
                .ring(ring)
                .slack(slack)
                .memory();
        scratchSize = DepthwiseCalls.depthwiseScratch(struct);
    }

    static boolean covers(ConvShape shape) {
        return shape.isDepthwise() && shape.inC() == shape.outC() && !shape.transposed();
    }

    /** The channel at a place: with dot products a block's are vector, lane, four, as interleaving leaves them. */
    private int channelAt(int place) {
        if (!DOTS) {
            return place;
        }
        int inBlock = place % (16 * LANES);
        int vector = inBlock / (4 * LANES);
        return place - inBlock + inBlock / 4 % LANES * 16 + vector * 4 + inBlock % 4;
    }

    /**
     * For every group of four rows and column, or for every pair of taps, all channels, each with its four or two
     * weights.
     */
    private NativeMemory packWeights(QuantizedConvSpec spec) {
        int[] taps = new int[shape.kernelH() * shape.kernelW()];
        int together = DOTS ? QUAD : PAIR;
        int steps = DOTS ? (shape.kernelH() + QUAD - 1) / QUAD * shape.kernelW() : (taps.length + PAIR - 1) / PAIR;
        int[] channels = new int[shape.inC()];
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel < channels.length) {
                channels[channel] = place * together;
            }
        }
        for (int tap = 0; tap < taps.length; tap++) {
            int row = tap / shape.kernelW();
            int column = tap % shape.kernelW();
            int step = DOTS ? row / QUAD * shape.kernelW() + column : tap / PAIR;
            taps[tap] = step * padded * together + (DOTS ? row % QUAD : tap % PAIR);
        }
        List<Object> form = List.of(NativeDepthwise.class, shape.inC(), shape.kernelH(), shape.kernelW(), padded);
        return PackedWeightCache.of(
                spec.weights(),
                form,
                Math.multiplyExact((long) steps * together, padded),
                packed -> WeightBytes.place(spec.weights(), channels, taps, packed, 0));
    }

    private NativeMemory packBias(QuantizedConvSpec spec, NativeRequantization rule) {
        int[] bias = new int[padded];
        int zero =
                spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0) - (DOTS && NativeDense.SIGNED_INPUTS ? 128 : 0);
        int taps = shape.kernelH() * shape.kernelW();
        long[] sums = WeightBytes.sums(spec.weights(), shape.inC(), taps, taps);
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel < shape.inC()) {
                bias[place] = spec.bias()[channel] - zero * (int) sums[2 * channel] + rule.start(place);
            }
        }
        return NativeMemory.copyOf(bias);
    }

    @Override
    public int units() {
        return shape.outH();
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        for (int y = begin; y < end; y++) {
            row(in, inOffset, out, outOffset + (long) y * shape.outW() * shape.outC(), y);
        }
    }

    /** Row y of the output, to {@code outOffset}. */
    void row(Object in, long inOffset, Object out, long outOffset, int y) {
        DepthwiseCalls.depthwise(struct, in, inOffset, ByteScratch.get().work(scratchSize), out, outOffset, y);
    }

    @Override
    public void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        int rowBytes = shape.outW() * shape.outC();
        for (int y = begin; y < end; y++) {
            run(in, inOffset, out, outOffset, y, y + 1);
            int at = y * rowBytes;
            after.finish(residual, residualOffset + at, out, outOffset + at, rowBytes);
        }
    }
}
