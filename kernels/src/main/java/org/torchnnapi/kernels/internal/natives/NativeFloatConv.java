package org.torchnnapi.kernels.internal.natives;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * Any float convolution, in any layout, read and written where it lies, see kernels.table; or, of those that
 * {@link FloatForm#coversHalves}, one in 16-bit floats, see half_conv.h.
 */
final class NativeFloatConv implements FloatConvKernel {
    /** Output channels that share a vector; the channel block of this provider. */
    static final int LANES = NativeLibrary.floatNumber("float_lanes");
    /** Output channels that are computed together. */
    static final int PANEL = FloatForm.FLOATS.panel();

    /**
     * Multiply-adds of a chunk of channels that lasts some microseconds: threads end together when the last units are
     * short.
     */
    private static final long UNIT_WORK = (1L << 16) * LANES;

    private static final int MOST_UNITS = 64;
    /** Those of any unit that takes many times as long as a call, where threads are many or not equally fast. */
    static final long LEAST_WORK = (1L << 14) * LANES;
    /** A band of a long row is not shorter than this many pixels, several tiles of every instruction set. */
    private static final int LEAST_BAND = 42;

    /** One phase as C sees it, its units and the floats of scratch that they take. */
    private record Part(NativeMemory struct, int units, long scratch) {}

    private final FloatForm form;
    private final List<Part> parts = new ArrayList<>();
    private final int units;

    /** Bytes of weights that stay in the first cache beside the pixels; of more, panels are the outer loop. */
    static int keptWeights() {
        return Machine.current().firstCache() / 4 * 3;
    }

    /** Bytes of a band's input: it stays in the second cache while panel after panel meets it. */
    private static int bandBytes() {
        return Machine.current().secondCache() / 8;
    }

    /** What rows of windows cover: beyond this it has left the second cache when the next panel meets it. */
    private static int mostRows() {
        return Machine.current().secondCache() / 2;
    }

    NativeFloatConv(FloatConvSpec spec) {
        this(spec, FloatForm.FLOATS);
    }

    NativeFloatConv(FloatConvSpec spec, FloatForm form) {
        this.form = form;
        ConvShape shape = spec.shape();
        List<ConvPhase> phases = shape.isPointwise() ? List.of(FloatGrid.flat(shape)) : ConvPhase.of(shape);
        int sum = 0;
        for (ConvPhase phase : phases) {
            Part part = part(spec, form, phase);
            parts.add(part);
            sum = Math.addExact(sum, part.units);
        }
        units = sum;
    }

    private static Part part(FloatConvSpec spec, FloatForm form, ConvPhase phase) {
        ConvShape shape = spec.shape();
        FloatGrid grid = FloatGrid.of(phase);
        int panels = panels(shape, form);
        int depth = Math.multiplyExact(shape.inC() / shape.groups(), grid.rows() * grid.cols());

        long bytesOfPixel = 4L * shape.inC() * phase.inStepX() * phase.inStepY();
        long pixelsOfBand = Math.max(bandBytes() / bytesOfPixel, 1);
        long work = (long) phase.rows() * phase.cols() * depth * shape.outC();
        int least = Bands.wanted(work / LEAST_WORK);
        int bandRows = phase.rows();
        int bandCols = phase.cols();
        if (phase.rows() == 1) {
            bandCols = Bands.length(phase.cols(), LEAST_BAND, (int) Math.min(pixelsOfBand, phase.cols()));
            if (bandCols == phase.cols() && panels < least) {
                // Panels alone, such as an odd number of them, may not divide between the threads.
                bandCols = Bands.length(phase.cols(), LEAST_BAND / 4, (phase.cols() + 1) / 2);
            }
        } else if (4L * shape.inC() * phase.inStepX() * phase.cols() * grid.rows() > mostRows()) {
            // Panel after panel would read what a row of windows covers from beyond the second cache.
            int most = rowsOfNarrowBand(shape, phase, grid);
            int down = (phase.rows() + most - 1) / most;
            bandRows = (phase.rows() + down - 1) / down;
            bandCols = Bands.length(phase.cols(), LEAST_BAND, colsOfBand(shape, phase, grid, bandRows));
        } else {
            int most = (int) Math.max(1, Math.min(pixelsOfBand / Math.max(phase.cols(), 1), phase.rows()));
            bandRows = Bands.length(phase.rows(), (LEAST_BAND + phase.cols() - 1) / Math.max(phase.cols(), 1), most);
        }
        int bands = (phase.rows() + bandRows - 1) / bandRows * ((phase.cols() + bandCols - 1) / bandCols);
        // Threads then divide what is larger between them, and all of them read the smaller.
        boolean chunksOutside = shape.weightCount() >= (long) shape.inC() * shape.inH() * shape.inW();
        int wantedUnits = least;
        if (chunksOutside) {
            wantedUnits = (int) Math.max(wantedUnits, Math.min(work / UNIT_WORK, MOST_UNITS));
        }
        int wantedChunks = Math.max(1, Math.min((wantedUnits + bands - 1) / bands, panels));
        int chunk = panels / wantedChunks;
        int chunks = (panels + chunk - 1) / chunk;
        boolean panelsOutside = (long) depth * form.panel() * form.bytes() * chunk > keptWeights();
        NativeMemory struct = struct(
                spec, form, phase, Geometry.of(spec, phase), bandRows, bandCols, chunk, panelsOutside, chunksOutside);
        long scratch = form.scratch(
                shape.inC(),
                (bandRows - 1L) * phase.inStepY() + (grid.rows() - 1L) * grid.stepY() + 1,
                (bandCols - 1L) * phase.inStepX() + (grid.cols() - 1L) * grid.stepX() + 1);
        return new Part(struct, Math.multiplyExact(bands, chunks), scratch);
    }

    /**
     * How many rows of the least number of pixels have their input, with what the window reaches, in
     * {@link #bandBytes}; at least one.
     */
    private static int rowsOfNarrowBand(ConvShape shape, ConvPhase phase, FloatGrid grid) {
        long row = 4L * shape.inC() * ((LEAST_BAND - 1L) * phase.inStepX() + grid.cols());
        return (int) Math.max(1, Math.min(phase.rows(), (bandBytes() / row - grid.rows()) / phase.inStepY() + 1));
    }

    /** The same of the pixels of so many rows. */
    private static int colsOfBand(ConvShape shape, ConvPhase phase, FloatGrid grid, int rows) {
        long col = 4L * shape.inC() * ((rows - 1L) * phase.inStepY() + grid.rows());
        return (int) Math.max(
                LEAST_BAND, Math.min(phase.cols(), (bandBytes() / col - grid.cols()) / phase.inStepX() + 1));
    }

    /**
     * Where the images of a phase lie; steps count floats.
     *
     * @param outRow from one output row of the phase to the next
     * @param outCol from one output pixel of the phase to the next
     * @param outOrigin its first pixel
     */
    record Geometry(
            long inPlane,
            long outPlane,
            long inRow,
            long outRow,
            long outCol,
            long outOrigin,
            int inH,
            int inW,
            int inBlock,
            int outBlock) {
        private static Geometry of(FloatConvSpec spec, ConvPhase phase) {
            ConvShape shape = spec.shape();
            boolean flat = shape.isPointwise();
            int inH = flat ? 1 : shape.inH();
            int inW = flat ? shape.inH() * shape.inW() : shape.inW();
            int outW = flat ? inW : shape.outW();
            int inBlock = spec.in().block(shape.inC());
            int outBlock = spec.out().block(shape.outC());
            return new Geometry(
                    (long) inH * inW * inBlock,
                    (long) shape.outH() * shape.outW() * outBlock,
                    (long) inW * inBlock,
                    (long) phase.stepY() * outW * outBlock,
                    (long) phase.stepX() * outBlock,
                    ((long) phase.originY() * outW + phase.originX()) * outBlock,
                    inH,
                    inW,
                    inBlock,
                    outBlock);
        }
    }

    /** The structure for C, with everything packed in floats that it points to. */
    static NativeMemory struct(
            FloatConvSpec spec,
            ConvPhase phase,
            Geometry g,
            int bandRows,
            int bandCols,
            int chunk,
            boolean panelsOutside,
            boolean chunksOutside) {
        return struct(spec, FloatForm.FLOATS, phase, g, bandRows, bandCols, chunk, panelsOutside, chunksOutside);
    }

    private static NativeMemory struct(
            FloatConvSpec spec,
            FloatForm form,
            ConvPhase phase,
            Geometry g,
            int bandRows,
            int bandCols,
            int chunk,
            boolean panelsOutside,
            boolean chunksOutside) {
        ConvShape shape = spec.shape();
        FloatGrid grid = FloatGrid.of(phase);
        int channels = shape.inC() / shape.groups();
        int outs = shape.outC() / shape.groups();
        int depth = Math.multiplyExact(form.filled(channels), grid.rows() * grid.cols());
        int width = (outs + LANES - 1) / LANES * LANES;
        NativeMemory bias =
                FloatPacking.padded(spec.bias(), shape.groups(), panels(shape, form) / shape.groups() * form.panel());
        FloatConvStruct struct = new FloatConvStruct()
                .bias(bias)
                .inPlane(g.inPlane)
                .outPlane(g.outPlane)
                .inRow(g.inRow)
                .outRow(g.outRow)
                .outCol(g.outCol)
                .outOrigin(g.outOrigin)
                .inH(g.inH)
                .inW(g.inW)
                .inBlock(g.inBlock)
                .outBlock(g.outBlock)
                .groups(shape.groups())
                .channels(channels)
                .outs(outs)
                .tapsY(grid.rows())
                .tapsX(grid.cols())
                .firstY(grid.firstY())
                .firstX(grid.firstX())
                .tapY(grid.stepY())
                .tapX(grid.stepX())
                .strideY(phase.inStepY())
                .strideX(phase.inStepX())
                .rows(phase.rows())
                .cols(phase.cols())
                .bandRows(bandRows)
                .bandCols(bandCols)
                .chunk(chunk)
                .panelsOutside(panelsOutside)
                .chunksOutside(chunksOutside)
                .activation(activation(spec.activation()));
        long taps = (long) shape.kernelH() * shape.kernelW();
        long outStep = shape.transposed() ? taps : taps * channels;
        long channelStep = shape.transposed() ? taps * outs : taps;
        // All that the order depends on; where images lie is part of it, as kernels.table says.
        List<Object> order = new ArrayList<>(List.of(
                form,
                shape.groups(),
                channels,
                outs,
                grid.rows(),
                grid.cols(),
                g.inBlock,
                grid.stepX(),
                outStep,
                channelStep));
        Arrays.stream(phase.taps()).forEach(order::add);
        return struct.weights(PackedWeightCache.of(
                        spec.constants(),
                        order,
                        (long) form.bytes() * depth * width * shape.groups(),
                        packed -> form.packing()
                                .run(
                                        struct.weights(null).memory(),
                                        spec.weights(),
                                        outStep,
                                        channelStep,
                                        phase.taps(),
                                        spec.bias(),
                                        packed,
                                        bias)))
                .memory();
    }

    static FloatActivationStruct activation(Activation activation) {
        UnaryOp function = activation.function();
        return new FloatActivationStruct()
                .min(activation.clamp().min())
                .max(activation.clamp().max())
                .function(function == null ? 0 : 1 + function.ordinal());
    }

    private static int panels(ConvShape shape, FloatForm form) {
        return (shape.outC() / shape.groups() + form.panel() - 1) / form.panel() * shape.groups();
    }

    /** The structure of a convolution that has no more than one phase. */
    NativeMemory only() {
        return parts.get(0).struct;
    }

    @Override
    public int units() {
        return units;
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
        int first = 0;
        for (Part part : parts) {
            int from = Math.max(begin - first, 0);
            int to = Math.min(end - first, part.units);
            if (from < to) {
                form.work()
                        .run(
                                part.struct,
                                in,
                                inOffset,
                                residual,
                                residualOffset,
                                out,
                                outOffset,
                                FloatScratch.get(part.scratch),
                                from,
                                to);
            }
            first += part.units;
        }
    }
}
