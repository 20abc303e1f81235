package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A convolution of 3x3 taps, stride 1 and one group over NHWC bytes, with 4/9 or a quarter of the products and exactly
 * the plain sums: byte_winograd.c. A unit is a band of rows of tiles of 2x2 or 4x4 pixels by a chunk of panels of
 * channels.
 */
final class NativeByteWinograd implements QuantizedConvKernel {
    private static final boolean ARE_THERE = NativeLibrary.number("has_byte_winograd") != 0;
    private static final int TAPS = 3;
    /** Pixels a side of tiles. */
    private static final int SMALL = 2;

    private static final int LARGE = 4;
    /** Input channels are transformed by so many. */
    private static final int CHANNELS = 16;
    /** Four times the sum of so many channels' products of the largest bytes fits 32 bits. */
    private static final int MOST_CHANNELS = 1824;
    /** Sums by large tiles are below it. */
    private static final int SUMS_END = 1 << 25;

    private static final int MOST_BYTE = 255;
    /** Tiles that a product takes at once. */
    private static final int TOGETHER = NativeLibrary.number("tile");
    /** Tiles of a band: a few times those that a product takes at once. */
    private static final int MOST_BAND = 24;
    /** Multiply-adds in the time in which a point of a weight comes from beyond the second cache. */
    private static final int WEIGHT_COST = 5;
    /** What must be saved for the weights to take more memory. */
    private static final double LEAST_GAIN = 1.2;

    private final ConvShape shape;
    private final int side;
    private final int panels;
    private final int across;
    private final int down;
    private final int bandRows;
    private final int bands;
    private final int chunkPanels;
    private final int chunks;
    private final NativeMemory struct;
    private final long scratchSize;

    NativeByteWinograd(QuantizedConvSpec spec) {
        shape = spec.shape();
        int outC = shape.outC();
        side = side(spec);
        panels = WeightPanels.count(outC);
        across = (shape.outW() + side - 1) / side;
        down = (shape.outH() + side - 1) / side;
        // Of large tiles a row has few, and a product by a few tiles takes as long as one by TOGETHER.
        int cache = Machine.current().secondCache() / 16 * (side == SMALL ? 3 : 8);
        int fitting = cache / (points(side) * Short.BYTES * shape.inC()) / TOGETHER * TOGETHER;
        int tiles = Math.max(TOGETHER, Math.min(MOST_BAND, fitting));
        bandRows = Math.min(down, Math.max((tiles + across - 1) / across, down / Bands.wanted()));
        bands = (down + bandRows - 1) / bandRows;
        chunkPanels = Math.max(1, panels / Math.max(1, Bands.wanted() / bands));
        chunks = (panels + chunkPanels - 1) / chunkPanels;
        NativeRequantization rule = new NativeRequantization(
                spec.requantization(),
                outC,
                WeightPanels.PANEL,
                panels * WeightPanels.PANEL,
                i -> i,
                SumBounds.of(spec));
        NativeMemory weights = PackedWeightCache.of(
                spec.weights(),
                List.of(NativeByteWinograd.class, shape.inC(), outC, side),
                packedBytes(shape, side),
                packed -> ByteWinogradCalls.byteWinogradPack(
                        spec.weights().values(),
                        WeightBytes.zeroPoints(spec.weights(), outC),
                        packed,
                        outC,
                        shape.inC(),
                        side));
        struct = new ByteWinogradStruct()
                .weights(weights)
                .bias(packBias(spec, rule))
                .rule(rule.struct())
                .inChannels(shape.inC())
                .inH(shape.inH())
                .inW(shape.inW())
                .outH(shape.outH())
                .outW(shape.outW())
                .channels(outC)
                .padTop(shape.padTop())
                .padLeft(shape.padLeft())
                .zeroPoint(spec.inputZeroPoint() & 0xff)
                .signedInput(spec.signedInput())
                .tile(side)
                .band(tiles)
                .memory();
        scratchSize = ByteWinogradCalls.byteWinogradScratch(struct);
    }

    /**
     * Whether a convolution, of NHWC images, whose centred weights fit signed bytes, can be computed so, and gains by
     * it.
     */
    static boolean pays(ConvShape shape) {
        boolean covered = ARE_THERE
                && !shape.transposed()
                && shape.groups() == 1
                && shape.kernelH() == TAPS
                && shape.kernelW() == TAPS
                && shape.strideH() == 1
                && shape.strideW() == 1
                && shape.dilationH() == 1
                && shape.dilationW() == 1
                && shape.inC() % CHANNELS == 0
                && shape.inC() <= MOST_CHANNELS
                && packedBytes(shape, LARGE) <= Integer.MAX_VALUE;
        if (!covered) {
            return false;
        }
        return LEAST_GAIN * cost(shape, SMALL) < (double) TAPS * TAPS * shape.outH() * shape.outW();
    }

    /** Large tiles where they gain as much again, and these weights' sums are small enough. */
    private static int side(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        if (LEAST_GAIN * cost(shape, LARGE) >= cost(shape, SMALL)) {
            return SMALL;
        }
        int perChannel = TAPS * TAPS * shape.inC();
        long[] sums = WeightBytes.sums(spec.weights(), shape.outC(), perChannel, perChannel);
        for (int channel = 0; channel < shape.outC(); channel++) {
            if (sums[2 * channel + 1] * MOST_BYTE >= SUMS_END) {
                return SMALL;
            }
        }
        return LARGE;
    }

    private static int points(int side) {
        return (side + TAPS - 1) * (side + TAPS - 1);
    }

    /** Multiply-adds for each weight, and what its points take to be read. */
    private static double cost(ConvShape shape, int side) {
        long tiles = (shape.outH() + side - 1L) / side * ((shape.outW() + side - 1) / side);
        long taken = (tiles + TOGETHER - 1) / TOGETHER * TOGETHER;
        return (double) points(side) * (taken + WEIGHT_COST);
    }

    private static long packedBytes(ConvShape shape, int side) {
        return (long) WeightPanels.count(shape.outC()) * WeightPanels.PANEL * points(side) * Short.BYTES * shape.inC();
    }

    /** As {@link NativeDense}; inputs are unsigned here, 128 higher where they are signed. */
    private NativeMemory packBias(QuantizedConvSpec spec, NativeRequantization rule) {
        int[] bias = new int[panels * WeightPanels.PANEL];
        int zero = spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0);
        int perChannel = TAPS * TAPS * shape.inC();
        long[] sums = WeightBytes.sums(spec.weights(), shape.outC(), perChannel, perChannel);
        for (int channel = 0; channel < shape.outC(); channel++) {
            bias[channel] = spec.bias()[channel] - zero * (int) sums[2 * channel] + rule.start(channel);
        }
        return NativeMemory.copyOf(bias);
    }

    @Override
    public int units() {
        return bands * chunks;
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        runFinishing(in, inOffset, null, 0, null, out, outOffset, begin, end);
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
        int unit = begin;
        while (unit < end) {
            // Chunks of a band at once: its points serve all.
            int band = unit / chunks;
            int next = Math.min(end, (band + 1) * chunks);
            int panel = unit % chunks * chunkPanels;
            int panelEnd = Math.min(panels, (next - 1) % chunks * chunkPanels + chunkPanels);
            int row = band * bandRows;
            int rowEnd = Math.min(down, row + bandRows);
            ByteWinogradCalls.byteWinograd(
                    struct,
                    in,
                    inOffset,
                    ByteScratch.get().work(scratchSize),
                    out,
                    outOffset,
                    row * across,
                    rowEnd * across,
                    panel,
                    panelEnd);
            if (after != null) {
                int pixel = row * side * shape.outW();
                int pixels = Math.min(shape.outH(), rowEnd * side) * shape.outW() - pixel;
                int channel = panel * WeightPanels.PANEL;
                int channels = Math.min(shape.outC(), panelEnd * WeightPanels.PANEL) - channel;
                int at = pixel * shape.outC() + channel;
                if (channels == shape.outC()) {
                    after.finish(residual, residualOffset + at, out, outOffset + at, channels * pixels);
                } else {
                    after.finish(residual, residualOffset + at, out, outOffset + at, channels, pixels, shape.outC());
                }
            }
            unit = next;
        }
    }
}
