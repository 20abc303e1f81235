package org.torchnnapi.kernels.internal.natives;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * Convolutions of NHWC images without groups whose centred weights fit signed bytes; a unit is a band of pixels by a
 * chunk of channels.
 */
final class NativeDense implements QuantizedConvKernel {
    /** Output channels of a panel. */
    static final int PANEL = WeightPanels.PANEL;
    /** Pixels of a tile. */
    private static final int TILE = NativeLibrary.number("tile");
    /** The instruction multiplies signed by signed, and its kernel takes 128 from every input. */
    static final boolean SIGNED_INPUTS = NativeLibrary.ISA.equals("dotprod") || NativeLibrary.ISA.equals("neon");
    /** Multiply-adds that a thread does in a few tens of microseconds. */
    private static final long MOST_ADJOINING = 1 << 25;
    /** Multiply-adds of any unit, which takes many times as long as a call. */
    private static final long LEAST_WORK = 1 << 18;
    /** Tiles of pixels of an image so small that its units are chunks of channels. */
    private static final int FEW_TILES = 4;

    /** Pixels of an image that threads share by panels alone, where its weights are many. */
    private static final int MOST_WHOLE = 256;
    /** Quads of depth that a tile register holds. */
    private static final int TILE_QUADS = 16;
    /**
     * Bytes of depth that fill tile registers so little that they are no quicker than dot products; from four pixels
     * on, deeper ones are.
     */
    private static final int SHALLOW = 28;
    /** Bytes of depth for which gathering runs pays. */
    private static final int LEAST_GATHERED = 48;
    /** As {@code GATHERED_BYTES} of staging.h. */
    private static final int LONGEST_GATHERED = 64;
    /** Channels from which a product by tiles leaves more time than pairing its rows takes. */
    private static final int LEAST_TILE_CHANNELS = 64;

    /** One phase, its structure for C, and how its work is cut: bands of output pixels by chunks of panels. */
    private record Part(
            ConvPhase phase,
            NativeMemory struct,
            int firstY,
            int lastY,
            int bandPixels,
            int bands,
            int chunkPanels,
            int chunks,
            int outOrigin,
            int firstUnit) {
        int units() {
            return bands * chunks;
        }
    }

    private final ConvShape shape;
    private final int outPixel;
    private final boolean signedInput;
    private final boolean tiled;
    /** Whether tiles take all runs of an output after each other. */
    private final boolean gathered;

    private final List<Part> parts = new ArrayList<>();
    private final int panels;
    /** Whether units that follow each other are bands of the same panels, not panels of the same band. */
    private final boolean chunksOutside;

    private final int keptPanels;
    /** Whether an image stays in the caches however its bands are taken. */
    private final boolean small;
    /** Whether scratch keeps what is staged of an image from one call to the next. */
    private final boolean keeps;

    private final int units;
    private final long scratchSize;

    NativeDense(QuantizedConvSpec spec) {
        this(spec, spec.shape().outC());
    }

    /**
     * @param outPixel bytes from a pixel of the output to the next; fewer than channels where {@link #panels} alone is
     *     called
     */
    NativeDense(QuantizedConvSpec spec, int outPixel) {
        shape = spec.shape();
        this.outPixel = outPixel;
        signedInput = spec.signedInput();
        gathered = NativeLibrary.TILES && gathers(shape);
        tiled = gathered || NativeLibrary.TILES && runTaps(shape, true) * shape.inC() > SHALLOW;
        panels = WeightPanels.count(shape.outC());
        // Threads then divide what is larger between them, and all of them read the smaller; an image that is no plain
        // matrix they also stage.
        chunksOutside =
                shape.weightCount() >= (shape.isPointwise() ? 1L : 4L) * shape.inC() * shape.inH() * shape.inW();
        int next = 0;
        long scratch = 0;
        int largest = 1;
        NativeRequantization rule = new NativeRequantization(
                spec.requantization(), shape.outC(), PANEL, panels * PANEL, i -> i, SumBounds.of(spec));
        for (ConvPhase phase : ConvPhase.of(shape)) {
            Part part = part(spec, phase, rule, next);
            parts.add(part);
            next = Math.addExact(next, part.units());
            scratch = Math.max(scratch, DenseCalls.denseScratch(part.struct));
            if (tiled) {
                scratch = Math.max(scratch, DenseTilesCalls.denseTilesScratch(part.struct));
            }
            largest = Math.max(largest, phase.taps().length * (shape.inC() + 3) * PANEL);
        }
        // A single pixel's product uses the same scratch for something else; a band of rows has one only where rows
        // have.
        keeps = tiled && !signedInput && parts.size() == 1 && shape.outW() > 1;
        units = next;
        small = (long) shape.inC() * shape.inH() * shape.inW() <= bandBytes();
        scratchSize = scratch;
        keptPanels = Math.max(1, Math.min(keptWeights() / largest, panels));
    }

    /** Shares of a phase that keep the threads busy. */
    private int wanted(ConvPhase phase) {
        long work = (long) phase.pixels() * phase.taps().length * shape.inC() * shape.outC();
        return Bands.wanted(work / LEAST_WORK);
    }

    /** Bytes of a band's pixels, beside which the second cache has room for weights. */
    private static int bandBytes() {
        return Machine.current().secondCache() / 16;
    }

    /** Bytes of weights that a core's caches keep while the pixels pass. */
    private static int keptWeights() {
        return Machine.current().secondCache() / 16 * 3;
    }

    /** Neighbouring pixels that are read as one run; tiles read those of a skipping kernel apart, see staging.h. */
    private static int runTaps(ConvShape shape, boolean tiled) {
        boolean rowRuns = !shape.transposed() && shape.dilationW() == 1 && !(tiled && shape.strideW() > 1);
        return rowRuns ? shape.kernelW() : 1;
    }

    /** Whether an output's runs are too short each, but not together. */
    private static boolean gathers(ConvShape shape) {
        return !shape.transposed()
                && runTaps(shape, true) * shape.inC() <= SHALLOW
                && runTaps(shape, false) * shape.inC() <= LONGEST_GATHERED
                && shape.kernelH() * shape.kernelW() * shape.inC() >= LEAST_GATHERED;
    }

    /** Quads of a run; tiles take it in steps of cache lines. */
    private int quads(int runBytes) {
        int quads = (runBytes + 3) / 4;
        return tiled && quads > TILE_QUADS ? (quads + TILE_QUADS - 1) / TILE_QUADS * TILE_QUADS : quads;
    }

    private Part part(QuantizedConvSpec spec, ConvPhase phase, NativeRequantization rule, int firstUnit) {
        int runTaps = runTaps(shape, tiled && !gathered);
        int segments = phase.taps().length / runTaps;
        int togetherTaps = gathered ? phase.taps().length : runTaps;
        int quads = quads(togetherTaps * shape.inC());
        int pixels = phase.pixels();
        // Tiles are read in place within a row, so a plain product of pixels by channels is one.
        boolean flat = shape.isPointwise() && !shape.transposed();
        int bandPixels = bandPixels(phase, flat);
        int bands = (pixels + bandPixels - 1) / bandPixels;
        // Two panels are a cache line of output, which better one thread writes.
        int mostChunks = !flat && panels % 4 == 0 ? panels / 2 : panels;
        int chunks = Math.max(1, Math.min(mostChunks, (wanted(phase) + bands - 1) / bands));
        int chunkPanels = panels / chunks;
        int[] dy = new int[segments];
        int[] dx = new int[segments];
        for (int s = 0; s < segments; s++) {
            dy[s] = phase.dy()[s * runTaps];
            dx[s] = phase.dx()[s * runTaps];
        }
        int firstY = Arrays.stream(dy).min().orElse(0);
        int lastY = Arrays.stream(dy).max().orElse(0);

        WeightPanels weights = packWeights(spec, phase, togetherTaps, quads);
        int inW = flat ? pixels : shape.inW();
        int cols = flat ? pixels : phase.cols();
        int step = phase.inStepX();
        int innerBegin = Math.max(0, -Math.floorDiv(Arrays.stream(dx).min().orElse(0), step));
        int innerEnd = Math.min(
                cols, Math.floorDiv(inW - runTaps - Arrays.stream(dx).max().orElse(0), step) + 1);
        NativeMemory struct = new DenseStruct()
                .weights(weights.memory())
                .bias(packBias(spec, weights.sums(), rule))
                .dy(NativeMemory.copyOf(dy))
                .dx(NativeMemory.copyOf(dx))
                .rule(rule.struct())
                .segments(segments)
                .taps(runTaps)
                .quads(quads)
                .inChannels(shape.inC())
                .inH(flat ? 1 : shape.inH())
                .inW(inW)
                .stepY(phase.inStepY())
                .stepX(step)
                .cols(cols)
                .channels(shape.outC())
                .outPixel(phase.stepX() * outPixel)
                .outRow(phase.stepY() * (flat ? pixels : shape.outW()) * outPixel)
                .zeroPoint(spec.inputZeroPoint() + (signedInput ? 128 : 0))
                .innerBegin(innerBegin)
                .innerEnd(innerEnd)
                .gathered(gathered)
                .memory();
        return new Part(
                phase,
                struct,
                firstY,
                lastY,
                bandPixels,
                bands,
                chunkPanels,
                (panels + chunkPanels - 1) / chunkPanels,
                phase.outPixel(0, shape.outW()) * shape.outC(),
                firstUnit);
    }

    /** How many pixels a band has; they are whole rows unless rows do not matter. */
    private int bandPixels(ConvPhase phase, boolean flat) {
        int pixels = phase.pixels();
        // Of an image of four tiles or less panels alone, such as an odd number, may not divide between the threads.
        int leastPixels = (pixels <= FEW_TILES * TILE && panels < wanted(phase) ? 2 : 4) * TILE;
        int mostPixels = bandBytes() / Math.max(1, shape.inC() * phase.inStepX() * phase.inStepY());
        if (!flat) {
            if (chunksOutside && panels >= wanted(phase) && pixels <= MOST_WHOLE) {
                return pixels;
            }
            int rows = Bands.length(
                    phase.rows(),
                    (leastPixels + phase.cols() - 1) / phase.cols(),
                    Math.max(1, mostPixels / phase.cols()));
            if (rows < phase.rows() || panels >= wanted(phase)) {
                return rows * phase.cols();
            }
        }
        int step = flat ? TILE : phase.cols();
        int wanted = Math.min(
                Math.max(phase.cols(), mostPixels),
                Math.max((pixels + wanted(phase) - 1) / wanted(phase), leastPixels));
        return Math.min((wanted + step - 1) / step * step, pixels);
    }

    private WeightPanels packWeights(QuantizedConvSpec spec, ConvPhase phase, int runTaps, int quads) {
        int plane = shape.kernelH() * shape.kernelW();
        return new WeightPanels(
                spec.weights(),
                shape.outC(),
                shape.inC(),
                phase.taps(),
                runTaps,
                quads,
                plane * (shape.transposed() ? 1 : shape.inC()),
                plane * (shape.transposed() ? shape.outC() : 1));
    }

    /** {@code sum (x - zero) w = sum x w - zero * sum w}; the kernel sees x as an unsigned byte, or 128 less. */
    private NativeMemory packBias(QuantizedConvSpec spec, int[] sums, NativeRequantization rule) {
        int[] bias = new int[panels * PANEL];
        int zero = spec.inputZeroPoint() + (signedInput ? 128 : 0) - (SIGNED_INPUTS ? 128 : 0);
        for (int oc = 0; oc < shape.outC(); oc++) {
            bias[oc] = spec.bias()[oc] - zero * sums[oc] + rule.start(oc);
        }
        return NativeMemory.copyOf(bias);
    }

    /**
     * Whether the processor's tile registers are used, and gain enough for rows to be written first and paired
     * afterwards.
     */
    boolean tilesPay() {
        return tiled && shape.inC() >= LEAST_TILE_CHANNELS;
    }

    /** What the kernel reads of an ordinary convolution, {@code struct dense}. */
    NativeMemory struct() {
        return parts.get(0).struct;
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public boolean adjoining() {
        // What is common to all panels of a few tiles of pixels is a part of what they take; but nobody can help with
        // them then.
        boolean few = parts.stream().allMatch(part -> part.phase.pixels() <= FEW_TILES * TILE);
        return few && shape.weightCount() * parts.get(0).phase.pixels() <= MOST_ADJOINING;
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
        runUnits(in, inOffset, residual, residualOffset, after, out, outOffset, begin, end, false);
    }

    @Override
    public void runAgain(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        runUnits(in, inOffset, residual, residualOffset, after, out, outOffset, begin, end, true);
    }

    /** @param again whether this thread's last work was other units of the same image */
    private void runUnits(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end,
            boolean again) {
        boolean kept = again && keeps;
        int index = 0;
        for (int unit = begin; unit < end; unit++) {
            while (unit >= parts.get(index).firstUnit + parts.get(index).units()) {
                index++;
            }
            Part part = parts.get(index);
            int local = unit - part.firstUnit;
            int pixel = (chunksOutside ? local % part.bands : local / part.chunks) * part.bandPixels;
            int pixelEnd = Math.min(pixel + part.bandPixels, part.phase.pixels());
            int chunk = chunksOutside ? local / part.bands : local % part.chunks;
            int chunks = 1;
            if (!chunksOutside) {
                // Chunks of the same pixels at once: what the kernel prepares of the input serves all.
                chunks = Math.min(part.chunks - chunk, end - unit);
                unit += chunks - 1;
            } else if ((small || part.bands == 1) && pixel == 0 && end - unit >= part.bands) {
                // All pixels of as many chunks as there are whole, where bands only serve to divide the work.
                chunks = Math.min(part.chunks - chunk, (end - unit) / part.bands);
                pixelEnd = part.phase.pixels();
                unit += chunks * part.bands - 1;
            }
            int panel = chunk * part.chunkPanels;
            int panelEnd = Math.min(panels, panel + chunks * part.chunkPanels);
            pixels(part, in, inOffset, out, (long) outOffset + part.outOrigin, pixel, pixelEnd, panel, panelEnd, kept);
            kept = keeps;
            if (after != null) {
                add(part, pixel, pixelEnd, panel, panelEnd, residual, residualOffset, after, out, outOffset);
            }
        }
    }

    /**
     * Pixels [pixel, end) of an ordinary convolution, all channels. The offsets are those of the whole images' first
     * bytes, and may lie outside the memory where the pixels do not.
     */
    void pixels(Object in, long inOffset, Object out, long outOffset, int pixel, int end) {
        pixels(parts.get(0), in, inOffset, out, outOffset, pixel, end, 0, panels, false);
    }

    /** Panels [panel, end) of an ordinary convolution, all pixels, to an image that has only these panels' channels. */
    void panels(Object in, long inOffset, Object out, long outOffset, int panel, int end) {
        pixels(
                parts.get(0),
                in,
                inOffset,
                out,
                outOffset - (long) panel * PANEL,
                0,
                parts.get(0).phase.pixels(),
                panel,
                end,
                false);
    }

    private void pixels(
            Part part,
            Object in,
            long inOffset,
            Object out,
            long outOffset,
            int pixel,
            int end,
            int panel,
            int panelEnd,
            boolean kept) {
        ByteScratch scratch = ByteScratch.get();
        NativeMemory work = scratch.work(scratchSize);
        if (!signedInput) {
            multiply(part, in, inOffset, work, out, outOffset, pixel, end, panel, panelEnd, kept);
            return;
        }
        // Dot products take unsigned bytes: the rows under the pixels are copied as such.
        int step = part.phase.inStepY();
        int firstRow = Math.max(0, Math.min(pixel / part.phase.cols() * step + part.firstY, shape.inH()));
        int endRow = Math.max(firstRow, Math.min((end - 1) / part.phase.cols() * step + part.lastY + 1, shape.inH()));
        long rowBytes = (long) shape.inW() * shape.inC();
        long bytes = (endRow - firstRow) * rowBytes;
        NativeMemory unsigned = scratch.staged(bytes + 1);
        DenseCalls.flip(in, inOffset + firstRow * rowBytes, unsigned, Math.toIntExact(bytes));
        multiply(part, unsigned, -firstRow * rowBytes, work, out, outOffset, pixel, end, panel, panelEnd, false);
    }

    private void multiply(
            Part part,
            Object in,
            long inOffset,
            NativeMemory work,
            Object out,
            long outOffset,
            int pixel,
            int end,
            int panel,
            int panelEnd,
            boolean kept) {
        // A single pixel's product waits for the weights, which both read equally fast.
        if (gathered || tiled && end - pixel > 1) {
            DenseTilesCalls.denseTiles(
                    part.struct, in, inOffset, work, out, outOffset, pixel, end, panel, panelEnd, kept);
        } else {
            DenseCalls.dense(part.struct, in, inOffset, work, out, outOffset, pixel, end, panel, panelEnd, keptPanels);
        }
    }

    private void add(
            Part part,
            int pixel,
            int end,
            int panel,
            int panelEnd,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset) {
        int channel = panel * PANEL;
        int count = Math.min(shape.outC(), panelEnd * PANEL) - channel;
        // Pixels that follow each other in the output are summed together.
        int step = part.phase.stepX() == 1 && part.phase.stepY() == 1 ? end - pixel : 1;
        for (int q = pixel; q < end; q += step) {
            int at = part.phase.outPixel(q, shape.outW()) * shape.outC() + channel;
            if (count == shape.outC()) {
                after.finish(residual, residualOffset + at, out, outOffset + at, count * step);
            } else {
                after.finish(residual, residualOffset + at, out, outOffset + at, count, step, shape.outC());
            }
        }
    }
}
