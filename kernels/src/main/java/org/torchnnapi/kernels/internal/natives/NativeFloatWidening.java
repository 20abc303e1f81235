package org.torchnnapi.kernels.internal.natives;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * A widening panel by panel, see float_widening.c; a unit is a panel of channels. Panels begin anew in the middle of
 * the channels, so that two threads take the same number of vectors, or one takes one more.
 */
final class NativeFloatWidening implements FloatConvKernel {
    private static final FloatWork WIDENING = new FloatWork("float_widening");
    private static final int LANES = NativeFloatConv.LANES;
    /**
     * Some of the channels: the structure for C where their units are the first a thread does of an image, and where
     * they are not.
     */
    private record Part(NativeMemory first, NativeMemory resumed, int units, int outAt) {}

    private final List<Part> parts = new ArrayList<>();
    private final boolean means;
    private final int units;
    private final long scratch;

    /**
     * @param squeeze what is left behind the output; null for nothing
     * @param means whether the output is the means of the channels, of a spec without a depthwise stage
     */
    NativeFloatWidening(FloatChainSpec spec, boolean halves, FloatWidening.Squeeze squeeze, boolean means) {
        this.means = means;
        ConvShape first = spec.expand().shape();
        ImageLayout in = spec.expand().in();
        int image = halves ? in.size(first.inC(), first.inH(), first.inW()) : 0;
        int middle = middle(first.outC());
        int some = addPart(spec, 0, middle, image, squeeze);
        units = some + (middle < first.outC() ? addPart(spec, middle, first.outC(), image, squeeze) : 0);
        scratch = image
                + (spec.depthwise() == null && !means ? 0 : (long) first.inH() * first.inW() * NativeFloatConv.PANEL);
    }

    /** Units of a widening to so many channels. */
    static int units(int channels) {
        return panels(middle(channels)) + panels(channels - middle(channels));
    }

    private static int middle(int channels) {
        return Math.min(((channels + LANES - 1) / LANES + 1) / 2 * LANES, channels);
    }

    private static int panels(int channels) {
        return (channels + NativeFloatConv.PANEL - 1) / NativeFloatConv.PANEL;
    }

    /** Adds output channels [begin, end); returns their units. */
    private int addPart(FloatChainSpec spec, int begin, int end, int image, FloatWidening.Squeeze squeeze) {
        FloatConvSpec expand = someChannels(spec.expand(), begin, end);
        FloatConvSpec depthwise = spec.depthwise() == null ? null : someChannels(spec.depthwise(), begin, end);
        ConvShape shape = expand.shape();
        int block = expand.in().block(shape.inC());
        int pixels = shape.inH() * shape.inW();
        NativeFloatConv.Geometry geometry = new NativeFloatConv.Geometry(
                (long) pixels * block,
                (long) pixels * LANES,
                (long) pixels * block,
                0,
                LANES,
                0,
                1,
                pixels,
                block,
                LANES);
        NativeMemory first = NativeFloatConv.struct(expand, FloatGrid.flat(shape), geometry, 1, 1, 1, true, false);
        NativeMemory second = depthwise == null
                ? null
                : NativeFloatDepthwise.struct(
                        depthwise, LANES, LANES, depthwise.shape().outH());
        ConvShape last = depthwise == null ? shape : depthwise.shape();
        int outAt = means ? begin : begin * last.outH() * last.outW();
        int step = squeeze == null ? 0 : FloatWidening.Squeeze.step(squeeze.outs());
        NativeMemory matrix =
                squeeze == null ? null : matrix(squeeze, spec.expand().shape().outC(), begin, end);
        long squeezedAt = ImageLayout.BLOCKED.size(spec.expand().shape().outC(), last.outH(), last.outW())
                - outAt
                + (long) panels(begin) * step;
        FloatWideningStruct widening = new FloatWideningStruct()
                .expand(first)
                .depthwise(second)
                .half(image)
                .squeezed(step)
                .squeeze(matrix)
                .squeezedAt(squeezedAt)
                .means(means);
        parts.add(new Part(
                widening.resumed(false).memory(), widening.resumed(true).memory(), panels(end - begin), outAt));
        return panels(end - begin);
    }

    /** The rows of channels [begin, end). */
    private static NativeMemory matrix(FloatWidening.Squeeze squeeze, int channels, int begin, int end) {
        int step = FloatWidening.Squeeze.step(squeeze.outs());
        float[] weights = squeeze.weights().values();
        float[] rows = new float[(end - begin) * step];
        for (int c = begin; c < end; c++) {
            for (int out = 0; out < squeeze.outs(); out++) {
                rows[(c - begin) * step + out] = weights[out * channels + c];
            }
        }
        return NativeMemory.copyOf(rows);
    }

    /** The same for output channels [begin, end), of a convolution without groups or one a channel. */
    private static FloatConvSpec someChannels(FloatConvSpec spec, int begin, int end) {
        ConvShape shape = spec.shape();
        int count = end - begin;
        int each = spec.constants().length() / shape.outC();
        ConvShape some =
                shape.groups() == 1 ? shape.channels(shape.inC(), count, 1) : shape.channels(count, count, count);
        return new FloatConvSpec(
                some,
                spec.in(),
                spec.out(),
                spec.constants().part(begin * each, end * each),
                Arrays.copyOfRange(spec.bias(), begin, end),
                spec.activation());
    }

    static boolean covers(FloatChainSpec spec) {
        ConvShape shape = spec.depthwise() == null ? null : spec.depthwise().shape();
        return shape == null || NativeFloatDepthwise.covers(shape) && shape.inC() == shape.outC();
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
        each(in, inOffset, out, outOffset, begin, end, false);
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
        each(in, inOffset, out, outOffset, begin, end, true);
    }

    private void each(float[] in, int inOffset, float[] out, int outOffset, int begin, int end, boolean resumed) {
        NativeMemory memory = FloatScratch.get(scratch);
        boolean again = resumed;
        int first = 0;
        for (Part part : parts) {
            int from = Math.max(begin - first, 0);
            int to = Math.min(end - first, part.units);
            if (from < to) {
                WIDENING.run(
                        again ? part.resumed : part.first,
                        in,
                        inOffset,
                        null,
                        0,
                        out,
                        outOffset + part.outAt,
                        memory,
                        from,
                        to);
                again = true;
            }
            first += part.units;
        }
    }
}
