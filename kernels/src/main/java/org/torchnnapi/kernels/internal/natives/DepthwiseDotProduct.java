package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A depthwise convolution with 3x3 kernels over pairs of rows, which a pointwise one writes or which are read from an
 * image: pairs.c. A step gives one or two rows of the output, whose channels are filled up to whole groups. They are in
 * the usual order where images are read, otherwise in one of their own.
 */
final class DepthwiseDotProduct {
    private static final boolean ARE_THERE = NativeLibrary.number("has_pairs") != 0;
    /** Channels that lie together, and are done together. */
    static final int GROUP = 32;

    private static final int LANES = 16;
    private static final int KERNEL = 3;
    private static final int TAPS = KERNEL * KERNEL;
    /** Rows whose bytes a dot product takes. */
    private static final int QUAD = 4;
    /** Columns of the narrowest image that a tile of the widening convolution fits. */
    private static final int LEAST_COLUMNS = 7;

    private final ConvShape shape;
    /** Kept for what C reads of it; null where images are read. */
    private final NativeDense widening;

    private final int padded;
    /** Rows of the output that the first step begins above it. */
    private final int rise;

    private final NativeMemory struct;

    /** @param widening the pointwise convolution before; null where there is none */
    DepthwiseDotProduct(QuantizedConvSpec spec, NativeDense widening) {
        this(spec, widening, spec.shape().inC());
    }

    /** @param inPixel bytes from a pixel to the next of the images that are read */
    DepthwiseDotProduct(QuantizedConvSpec spec, NativeDense widening, int inPixel) {
        shape = spec.shape();
        this.widening = widening;
        padded = (shape.inC() + GROUP - 1) / GROUP * GROUP;
        // An even number of steps, which two threads divide, and no row of them outside the output where that leaves
        // the number even.
        rise = shape.strideH() == 1 && shape.outH() % 4 == 0 ? 0 : shape.padTop();
        NativeRequantization rule = new NativeRequantization(
                spec.requantization(), shape.inC(), GROUP, padded, this::channelAt, SumBounds.of(spec));
        struct = new PairsStruct()
                .widening(widening == null ? null : widening.struct())
                .weights(packWeights(spec))
                .bias(packBias(spec, rule))
                .rule(rule.struct())
                .channels(shape.inC())
                .inH(shape.inH())
                .inW(shape.inW())
                .outH(shape.outH())
                .outW(shape.outW())
                .stride(shape.strideH())
                .padTop(shape.padTop())
                .padLeft(shape.padLeft())
                .zeroPoint(spec.inputZeroPoint())
                .inPixel(inPixel)
                .rise(rise)
                .memory();
    }

    /** @param widening the shape of the pointwise convolution before; null where there is none */
    static boolean covers(QuantizedConvSpec depthwise, ConvShape widening) {
        boolean tiles = widening == null
                || widening.inC() % QUAD == 0 && depthwise.shape().inW() >= LEAST_COLUMNS;
        return tiles && covers(depthwise.shape()) && !depthwise.signedInput();
    }

    /** The same of an image that is read. */
    static boolean covers(ConvShape shape) {
        int stride = shape.strideH();
        boolean small = shape.kernelH() == KERNEL
                && shape.kernelW() == KERNEL
                && shape.dilationH() == 1
                && shape.dilationW() == 1
                && stride <= 2
                && shape.strideW() == stride
                && shape.padTop() <= 1
                && shape.padLeft() <= 1;
        // A line has one column beyond the image.
        boolean ends = (shape.outW() - 1) * stride + KERNEL - 1 - shape.padLeft() <= shape.inW();
        return ARE_THERE && small && ends;
    }

    /** Whether the output of one that reads images is an image: no group is filled up. */
    static boolean coversAlone(QuantizedConvSpec depthwise) {
        return covers(depthwise, null) && depthwise.shape().inC() % GROUP == 0;
    }

    /** Rows of the output that a step gives. */
    int stepRows() {
        return shape.strideH() == 1 ? 2 : 1;
    }

    /** The first row that a step gives, which may lie above the output. */
    int firstRow(int step) {
        return shape.strideH() == 1 ? 2 * step - rise : step;
    }

    /**
     * The first row of the input that a step reads, besides what is there from the step before; it may lie above the
     * image.
     */
    int firstInput(int step, boolean isFirst) {
        int row = 2 * step - rise - shape.padTop();
        return isFirst ? row + (shape.strideH() == 2 ? rise : 0) : row + 2;
    }

    int steps() {
        return shape.strideH() == 1 ? (shape.outH() + rise + 1) / 2 : shape.outH();
    }

    /** Bytes of a row that a step gives. */
    long rowBytes() {
        return (long) shape.outW() * padded;
    }

    /** Bytes that steps share, which follow each other. */
    long sharedBytes() {
        return PairsCalls.pairsScratch(struct);
    }

    /**
     * Does steps [first, end).
     *
     * @param isFirst whether the step before was not the last to use the shared memory
     * @param in an array or native memory
     * @param shared memory that begins with {@link #sharedBytes} bytes for the steps
     * @param out an array or native memory
     * @param outAt where row 0 of the output is in it, or would be
     */
    void run(
            int first,
            int end,
            boolean isFirst,
            Object in,
            long inOffset,
            NativeMemory shared,
            Object out,
            long outAt) {
        PairsCalls.pairs(struct, in, inOffset, shared, out, outAt, isFirst, first, end, 0, groups());
    }

    /** Does all steps of groups [group, groupEnd) of the channels; the parameters are those of {@link #run}. */
    void runGroups(int group, int groupEnd, Object in, long inOffset, NativeMemory shared, Object out, long outAt) {
        PairsCalls.pairs(struct, in, inOffset, shared, out, outAt, true, 0, steps(), group, groupEnd);
    }

    int groups() {
        return padded / GROUP;
    }

    /** The channel of a sum, as pairs.c orders those of a group. */
    private int channelAt(int place) {
        int inGroup = place % GROUP;
        return widening != null ? place : place - inGroup + inGroup % LANES * 2 + inGroup / LANES;
    }

    /** The channel of a byte of the rows; past the last channel where groups are filled up. */
    private int channelOfByte(int at) {
        int inGroup = at % GROUP;
        return channelAt(at - inGroup + inGroup % 2 * LANES + inGroup / 2);
    }

    private NativeMemory packWeights(QuantizedConvSpec spec) {
        int rows = stepRows();
        int columnBytes = GROUP * QUAD;
        int rowBytes = KERNEL * columnBytes;
        int[] channels = new int[shape.inC()];
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel < channels.length) {
                channels[channel] = place / GROUP * rows * rowBytes + place % GROUP * QUAD;
            }
        }
        int[] taps = new int[TAPS];
        for (int tap = 0; tap < TAPS; tap++) {
            taps[tap] = tap % KERNEL * columnBytes + tap / KERNEL;
        }
        List<Object> form = List.of(DepthwiseDotProduct.class, shape.inC(), padded, rows, rise, widening != null);
        return PackedWeightCache.of(spec.weights(), form, (long) padded / GROUP * rows * rowBytes, packed -> {
            for (int row = 0; row < rows; row++) {
                // Two rows share four of the input, from the first one's on; a single one's begin as far down as pairs
                // do above the image.
                WeightBytes.place(spec.weights(), channels, taps, packed, row * rowBytes + (rows == 2 ? row : rise));
            }
        });
    }

    private NativeMemory packBias(QuantizedConvSpec spec, NativeRequantization rule) {
        int[] bias = new int[padded];
        long[] sums = WeightBytes.sums(spec.weights(), shape.inC(), TAPS, TAPS);
        for (int place = 0; place < padded; place++) {
            int channel = channelAt(place);
            if (channel < shape.inC()) {
                bias[place] =
                        spec.bias()[channel] - spec.inputZeroPoint() * (int) sums[2 * channel] + rule.start(place);
            }
        }
        return NativeMemory.copyOf(bias);
    }

    /** A pointwise convolution that reads this one's rows, with its inputs in their order. */
    QuantizedConvSpec reordered(QuantizedConvSpec next) {
        ConvShape old = next.shape();
        int[] order = new int[padded];
        for (int at = 0; at < padded; at++) {
            order[at] = channelOfByte(at);
        }
        return new QuantizedConvSpec(
                ConvShape.of(padded, old.inH(), old.inW(), old.outC(), 1, 1),
                next.in(),
                next.out(),
                next.signedInput(),
                next.inputZeroPoint(),
                WeightBytes.reordered(next.weights(), old.outC(), order),
                next.bias(),
                next.requantization());
    }
}
