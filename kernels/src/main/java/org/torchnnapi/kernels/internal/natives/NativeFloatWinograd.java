package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * A convolution of 3x3 taps, stride 1 and one group over blocked images, with fewer products; see float_winograd.c.
 * Tiles of 2x2 pixels need 4/9 of the products and are as exact as their plain sum; tiles of 4x4 need 1/4, and their
 * error is twice that of the plain sum.
 *
 * <p>An infinity or NaN of the input makes NaNs of the whole tiles that it takes part in.
 */
final class NativeFloatWinograd implements FloatConvKernel {
    private static final int LANES = NativeFloatConv.LANES;
    private static final int PANEL = NativeFloatConv.PANEL;
    private static final FloatWork WINOGRAD = new FloatWork("float_winograd");
    private static final FloatPacking PACK = new FloatPacking("float_winograd_pack");
    private static final int TAPS = 3;
    /** Tiles of a band: a few times those that products take at once. */
    private static final int WANTED_TILES = 28;
    /** The same where the weights come from beyond the second cache, once for every band. */
    private static final int WANTED_TILES_OF_LARGE = 56;
    /** Multiply-adds in the time in which one weight comes from there. */
    private static final int WEIGHT_COST = LANES * 3 / 2;
    /** Channels whose products take as long as it takes to begin and end a tile of them. */
    private static final int PRODUCT_COST = 12;
    /** What must be saved for the weights to take more memory. */
    private static final double LEAST_GAIN = 1.2;

    private final NativeMemory struct;
    private final NativeMemory resumed;
    private final int units;
    private final long scratch;

    /**
     * How the output is cut: into tiles of that many pixels a side, bands of these as equal as can be, and the panels
     * of a unit.
     */
    private record Cut(int tile, int tiles, int bands, int chunk, int chunks) {
        static Cut of(ConvShape shape, int tile) {
            int rows = quotientUp(shape.outH(), tile);
            int cols = quotientUp(shape.outW(), tile);
            int tiles = rows * cols;
            long fitting = Math.max(bandBytes() / (Float.BYTES * floatsOfTile(shape, tile)), 1);
            boolean large = packedWeights(shape, tile) * Float.BYTES > mostWeights();
            int wanted = (int) Math.min(large ? WANTED_TILES_OF_LARGE : WANTED_TILES, fitting);
            // As many as there are runs of whole rows, or of equal parts of rows: those that begin amid a row take a
            // little longer.
            int across = quotientUp(cols, Math.min(cols, wanted));
            int bands = across * quotientUp(rows, Math.max(1, Math.min(wanted / quotientUp(cols, across), rows)));
            if (tile == 2 && bands == 2 && tiles <= Math.min(WANTED_TILES_OF_LARGE, fitting)) {
                // A thread can take so few to points in a few microseconds, and then reads the weights of its own
                // panels alone.
                bands = 1;
            } else if (bands > 1) {
                // An odd number would leave two threads unequal shares, or both the same band's points to find.
                bands += bands % 2;
            }
            int panels = quotientUp(shape.outC(), PANEL);
            long work = tiles * points(tile) * shape.inC() * shape.outC();
            int chunk = panels
                    / Math.max(1, Math.min(quotientUp(Bands.wanted(work / NativeFloatConv.LEAST_WORK), bands), panels));
            return new Cut(tile, tiles, bands, chunk, quotientUp(panels, chunk));
        }

        /** The time that it takes, in multiply-adds. */
        double cost(ConvShape shape) {
            double outs = roundUp(shape.outC(), LANES);
            double products = (double) tiles * points(tile) * (shape.inC() + PRODUCT_COST) * outs;
            double weights = packedWeights(shape, tile);
            double ofPoint = tile == 2 ? 8 : 14;
            double transforms =
                    (double) tiles * points(tile) * (roundUp(shape.inC(), LANES) * ofPoint + outs * ofPoint * 0.75);
            return transforms + timeOf(products, weights, bands);
        }
    }

    NativeFloatWinograd(FloatConvSpec spec, int tile) {
        ConvShape shape = spec.shape();
        Cut cut = Cut.of(shape, tile);
        NativeMemory bias = FloatPacking.padded(spec.bias(), 1, roundUp(shape.outC(), PANEL));
        long channelStep = TAPS * TAPS;
        NativeMemory weights = PackedWeightCache.of(
                spec.constants(),
                List.of(PACK, tile, shape.inC(), shape.outC()),
                Float.BYTES * packedWeights(shape, tile),
                packed -> PACK.run(
                        struct(spec, tile, cut, null, bias, false),
                        spec.weights(),
                        channelStep * shape.inC(),
                        channelStep,
                        null,
                        spec.bias(),
                        packed,
                        bias));
        struct = struct(spec, tile, cut, weights, bias, false);
        resumed = struct(spec, tile, cut, weights, bias, true);
        units = Math.multiplyExact(cut.bands, cut.chunks);
        scratch = floatsOfTile(shape, tile) * quotientUp(cut.tiles, cut.bands) + 2 * LANES * points(tile);
    }

    private static NativeMemory struct(
            FloatConvSpec spec, int tile, Cut cut, NativeMemory weights, NativeMemory bias, boolean resumed) {
        ConvShape shape = spec.shape();
        return new FloatWinogradStruct()
                .weights(weights)
                .bias(bias)
                .tile(tile)
                .channels(shape.inC())
                .outs(shape.outC())
                .inH(shape.inH())
                .inW(shape.inW())
                .outH(shape.outH())
                .outW(shape.outW())
                .padTop(shape.padTop())
                .padLeft(shape.padLeft())
                .bands(cut.bands)
                .chunk(cut.chunk)
                .resumed(resumed)
                .activation(NativeFloatConv.activation(spec.activation()))
                .memory();
    }

    /**
     * Pixels along a side of the tiles with which it is fastest, or 0 if it is not this or not faster than summing
     * every product.
     */
    static int bestTile(ConvShape shape, ImageLayout in, ImageLayout out) {
        if (!covers(shape) || in != ImageLayout.BLOCKED || out != ImageLayout.BLOCKED) {
            return 0;
        }
        double small = Cut.of(shape, 2).cost(shape);
        double large = Cut.of(shape, 4).cost(shape);
        double plain = timeOf((double) shape.outH() * shape.outW() * shape.weightCount(), shape.weightCount(), 1);
        if (small * LEAST_GAIN > plain && large * LEAST_GAIN > plain) {
            return 0;
        }
        return large * LEAST_GAIN < small ? 4 : 2;
    }

    private static boolean covers(ConvShape shape) {
        return shape.groups() == 1
                && !shape.transposed()
                && shape.kernelH() == TAPS
                && shape.kernelW() == TAPS
                && shape.strideH() == 1
                && shape.strideW() == 1
                && shape.dilationH() == 1
                && shape.dilationW() == 1;
    }

    /** Floats of the weights at their points. */
    static long packedWeights(ConvShape shape, int tile) {
        return points(tile) * shape.inC() * roundUp(shape.outC(), LANES);
    }

    /** Products take as long as they do or as long as their weights are on their way. */
    private static double timeOf(double products, double weights, int passes) {
        return weights * Float.BYTES > mostWeights() ? Math.max(products, weights * WEIGHT_COST * passes) : products;
    }

    /** Bytes of a band's points, which stay in the second cache while panel after panel meets them. */
    private static long bandBytes() {
        return Machine.current().secondCache();
    }

    /** Bytes of weights that stay there from one band to the next. */
    private static long mostWeights() {
        return Machine.current().secondCache();
    }

    private static long points(int tile) {
        return (long) (tile + TAPS - 1) * (tile + TAPS - 1);
    }

    private static long floatsOfTile(ConvShape shape, int tile) {
        return points(tile) * (roundUp(shape.inC(), LANES) + PANEL);
    }

    private static int quotientUp(int a, int b) {
        return (a + b - 1) / b;
    }

    private static int roundUp(int a, int b) {
        return quotientUp(a, b) * b;
    }

    @Override
    public int units() {
        return units;
    }

    /** Units of one band share its points. */
    @Override
    public boolean adjoining() {
        return true;
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        WINOGRAD.run(
                struct, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }

    @Override
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        WINOGRAD.run(
                resumed, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }
}
