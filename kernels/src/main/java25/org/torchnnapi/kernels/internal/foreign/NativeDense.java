package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * Convolutions without groups of NHWC images whose centred weights fit signed bytes. Images that need padding, or another sign, are first
 * copied, a band of rows at a time, into a padded scratch image.
 */
final class NativeDense implements QuantizedConvKernel {
    private static final MethodHandle DENSE = NativeLibrary.function("dense", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG,
        ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    /** Output channels of a panel. */
    private static final int PANEL = NativeLibrary.number("tnn_" + NativeLibrary.ISA + "_panel");
    /** The instruction multiplies signed by signed, and its kernel takes 128 from every input. */
    private static final boolean SIGNED_INPUTS = NativeLibrary.ISA.equals("dotprod");
    private static final int LARGE_WEIGHTS = 192 * 1024;
    private static final int BAND_BYTES = 64 * 1024;
    private static final int WANTED_UNITS = 8;
    private static final long STRUCT_SIZE = 120;

    /** One phase, its structure for C, and how its work is cut: bands of output pixels by chunks of panels. */
    private record Part(ConvPhase phase, MemorySegment struct, StagedBytes staged, int bandPixels, int bands, int chunkPanels, int chunks,
                        int panelBytes, int outOrigin, int firstUnit) {
        int units() {
            return bands * chunks;
        }
    }

    private final ConvShape shape;
    private final List<Part> parts = new ArrayList<>();
    private final int panels;
    private final int units;

    NativeDense(QuantizedConvSpec spec) {
        shape = spec.shape();
        panels = (shape.outC() + PANEL - 1) / PANEL;
        Arena arena = Arena.ofAuto();
        int next = 0;
        for (ConvPhase phase : ConvPhase.of(shape)) {
            Part part = part(spec, phase, next, arena);
            parts.add(part);
            next = Math.addExact(next, part.units());
        }
        units = next;
    }

    private Part part(QuantizedConvSpec spec, ConvPhase phase, int firstUnit, Arena arena) {
        boolean rowRuns = !shape.transposed() && shape.dilationW() == 1 && shape.kernelW() > 1;
        int runTaps = rowRuns ? shape.kernelW() : 1;
        int segments = phase.taps().length / runTaps;
        int quads = (runTaps * shape.inC() + 3) / 4;
        boolean direct = !spec.signedInput() && runTaps * shape.inC() % 4 == 0 && readsInside(phase);
        int pixels = phase.pixels();
        int bandPixels = Math.max(phase.cols(), BAND_BYTES / Math.max(1, shape.inC() * phase.inStepX() * phase.inStepY()));
        bandPixels = Math.min(bandPixels, Math.max((pixels + WANTED_UNITS - 1) / WANTED_UNITS, 56));
        if (!direct) {
            bandPixels = Math.max(1, bandPixels / phase.cols()) * phase.cols();
        }
        bandPixels = Math.min(bandPixels, pixels);
        int bands = (pixels + bandPixels - 1) / bandPixels;
        StagedBytes staged = direct ? null : new StagedBytes(shape, phase, bandPixels / phase.cols(), spec.inputZeroPoint(),
            spec.signedInput());
        int rowBytes = direct ? shape.inW() * shape.inC() : staged.rowBytes();
        int chunks = Math.max(1, Math.min(panels, (WANTED_UNITS + bands - 1) / bands));
        int chunkPanels = (panels + chunks - 1) / chunks;

        MemorySegment struct = arena.allocate(STRUCT_SIZE, 64);
        int panelBytes = Math.multiplyExact(segments * quads, PANEL * 4);
        struct.set(ADDRESS, 0, packWeights(spec, phase, runTaps, quads, panelBytes, arena));
        struct.set(ADDRESS, 8, offsets(phase, runTaps, rowBytes, staged, arena));
        struct.set(ADDRESS, 16, packBias(spec, phase, arena));
        NativeRule.write(struct, 24, spec.requantization(), shape.outC(), panels * PANEL, i -> i, arena);
        int outRow = phase.stepY() * shape.outW() * shape.outC();
        int[] numbers = {segments, quads, shape.outC(), phase.cols(), phase.inStepX() * shape.inC(), phase.inStepY() * rowBytes,
            phase.stepX() * shape.outC(), outRow};
        for (int i = 0; i < numbers.length; i++) {
            struct.set(JAVA_INT, 24 + NativeRule.SIZE + 4L * i, numbers[i]);
        }
        return new Part(phase, struct, staged, bandPixels, bands, chunkPanels, (panels + chunkPanels - 1) / chunkPanels, panelBytes,
            (phase.originY() * shape.outW() + phase.originX()) * shape.outC(), firstUnit);
    }

    private boolean readsInside(ConvPhase phase) {
        for (int t = 0; t < phase.taps().length; t++) {
            if (phase.dy()[t] < 0 || phase.dx()[t] < 0 || (phase.rows() - 1) * phase.inStepY() + phase.dy()[t] >= shape.inH()
                || (phase.cols() - 1) * phase.inStepX() + phase.dx()[t] >= shape.inW()) {
                return false;
            }
        }
        return true;
    }

    private MemorySegment packWeights(QuantizedConvSpec spec, ConvPhase phase, int runTaps, int quads, int panelBytes, Arena arena) {
        byte[] packed = new byte[Math.multiplyExact(panels, panelBytes)];
        for (int oc = 0; oc < shape.outC(); oc++) {
            int column = oc / PANEL * panelBytes + oc % PANEL * 4;
            for (int t = 0; t < phase.taps().length; t++) {
                for (int ic = 0; ic < shape.inC(); ic++) {
                    int run = t % runTaps * shape.inC() + ic;
                    int quad = t / runTaps * quads + run / 4;
                    packed[column + quad * PANEL * 4 + run % 4] = (byte) spec.weight(oc, ic, phase.taps()[t]);
                }
            }
        }
        MemorySegment segment = arena.allocate(Math.max(packed.length, 1), 64);
        MemorySegment.copy(packed, 0, segment, ValueLayout.JAVA_BYTE, 0, packed.length);
        return segment;
    }

    private MemorySegment offsets(ConvPhase phase, int runTaps, int rowBytes, StagedBytes staged, Arena arena) {
        int segments = phase.taps().length / runTaps;
        MemorySegment offsets = arena.allocate(Math.max(4L * segments, 4), 64);
        int minDy = staged == null ? 0 : staged.minDy();
        int minDx = staged == null ? 0 : staged.minDx();
        for (int s = 0; s < segments; s++) {
            int tap = s * runTaps;
            offsets.setAtIndex(JAVA_INT, s, (phase.dy()[tap] - minDy) * rowBytes + (phase.dx()[tap] - minDx) * shape.inC());
        }
        return offsets;
    }

    /** {@code sum (x - zero) w = sum x w - zero * sum w}; the kernel sees x as an unsigned byte, or 128 less. */
    private MemorySegment packBias(QuantizedConvSpec spec, ConvPhase phase, Arena arena) {
        MemorySegment bias = arena.allocate(4L * panels * PANEL, 64);
        int zero = spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0) - (SIGNED_INPUTS ? 128 : 0);
        for (int oc = 0; oc < shape.outC(); oc++) {
            int sum = 0;
            for (int tap : phase.taps()) {
                for (int ic = 0; ic < shape.inC(); ic++) {
                    sum += spec.weight(oc, ic, tap);
                }
            }
            bias.setAtIndex(JAVA_INT, oc, spec.bias()[oc] - zero * sum);
        }
        return bias;
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        runAdding(in, inOffset, null, 0, null, out, outOffset, begin, end);
    }

    @Override
    public void runAdding(byte[] in, int inOffset, byte[] residual, int residualOffset, QuantizedSum sum, byte[] out, int outOffset, int begin,
                          int end) {
        MemorySegment outSegment = MemorySegment.ofArray(out);
        int index = 0;
        int stagedUnit = -1;
        for (int unit = begin; unit < end; unit++) {
            while (unit >= parts.get(index).firstUnit + parts.get(index).units()) {
                index++;
            }
            Part part = parts.get(index);
            int local = unit - part.firstUnit;
            int band = local / part.chunks;
            int pixel = band * part.bandPixels;
            int pixels = Math.min(part.bandPixels, part.phase.pixels() - pixel);
            int panel = local % part.chunks * part.chunkPanels;
            int panelEnd = Math.min(panels, panel + part.chunkPanels);
            int outside = (long) part.panelBytes * (panelEnd - panel) > LARGE_WEIGHTS ? 1 : 0;
            byte[] source = in;
            long sourceOffset = inOffset;
            if (part.staged != null) {
                source = ByteScratch.get().input(part.staged.size());
                int row = pixel / part.phase.cols();
                if (stagedUnit != unit - local % part.chunks) {
                    part.staged.copy(in, inOffset, source, row, pixels / part.phase.cols());
                    stagedUnit = unit - local % part.chunks;
                }
                // C counts pixels from the image's first row, the scratch begins at the band's.
                sourceOffset = -(long) row * part.phase.inStepY() * part.staged.rowBytes();
            }
            call(part.struct, MemorySegment.ofArray(source), sourceOffset, outSegment, (long) outOffset + part.outOrigin, pixel,
                pixel + pixels, panel, panelEnd, outside);
            if (sum != null) {
                add(part, pixel, pixel + pixels, panel, panelEnd, residual, residualOffset, sum, out, outOffset);
            }
        }
    }

    private void add(Part part, int pixel, int end, int panel, int panelEnd, byte[] residual, int residualOffset, QuantizedSum sum, byte[] out,
                     int outOffset) {
        int channel = panel * PANEL;
        int count = Math.min(shape.outC(), panelEnd * PANEL) - channel;
        boolean whole = count == shape.outC() && part.phase.stepX() == 1 && part.phase.stepY() == 1;
        int step = whole ? end - pixel : 1;
        for (int q = pixel; q < end; q += step) {
            int row = part.phase.originY() + q / part.phase.cols() * part.phase.stepY();
            int col = part.phase.originX() + q % part.phase.cols() * part.phase.stepX();
            int at = (row * shape.outW() + col) * shape.outC() + channel;
            sum.run(out, outOffset + at, residual, residualOffset + at, out, outOffset + at, count * step);
        }
    }

    private static void call(MemorySegment struct, MemorySegment in, long inOffset, MemorySegment out, long outOffset, int pixel, int end,
                             int panel, int panelEnd, int outside) {
        try {
            DENSE.invokeExact(struct, in, inOffset, out, outOffset, pixel, end, panel, panelEnd, outside);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
