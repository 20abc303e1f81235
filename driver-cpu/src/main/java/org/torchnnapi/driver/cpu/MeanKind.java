package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Rounding;

/** MEAN over adjacent axes, such as height and width. */
final class MeanKind implements Kind {
    private static final int AXES = 1;

    /** Input as {@code [outer][reduced][inner]}. */
    private record Extents(int outer, int reduced, int inner) {
    }

    /** Null when the axes are not adjacent. */
    private static Extents extents(Site site) {
        int[] dims = site.in(0).dimensions();
        boolean[] reduced = new boolean[dims.length];
        for (int axis : site.ints(AXES)) {
            if (axis < -dims.length || axis >= dims.length) {
                return null;
            }
            reduced[axis < 0 ? axis + dims.length : axis] = true;
        }
        int first = 0;
        while (first < dims.length && !reduced[first]) {
            first++;
        }
        int end = first;
        while (end < dims.length && reduced[end]) {
            end++;
        }
        for (int i = end; i < dims.length; i++) {
            if (reduced[i]) {
                return null;
            }
        }
        return new Extents(Site.product(dims, 0, first), Site.product(dims, first, end), Site.product(dims, end, dims.length));
    }

    @Override
    public String refusal(Site site) {
        String problem = Site.first(site.typeProblem(0), site.variableProblem(1));
        if (problem != null) {
            return problem;
        }
        if (!site.isFloat() && (site.in(0).scale() != site.out().scale() || site.in(0).zeroPoint() != site.out().zeroPoint())) {
            return "output: " + site.out() + " (expected: scale and zero point of the input)";
        }
        Extents extents = extents(site);
        if (extents == null) {
            return "axes: " + Arrays.toString(site.ints(AXES)) + " (expected: adjacent)";
        }
        return extents.reduced <= 1 << 22 ? null : "reduced: " + extents.reduced + " elements (expected: <= 2^22)";
    }

    @Override
    public Images images(Site site) {
        int[] dims = site.in(0).dimensions();
        return dims.length == 4 && extents(site).equals(new Extents(dims[0], dims[1] * dims[2], dims[3])) ? Images.ANY_INPUT : Images.AS_DECLARED;
    }

    @Override
    public Step compile(Site site, Places places) {
        Extents extents = extents(site);
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        if (!site.isFloat()) {
            boolean signed = site.isSigned();
            int zeroPoint = site.in(0).zeroPoint();
            return new Step(extents.outer, memory -> (begin, end) -> bytes(memory.bytes(), in, out, extents, signed, zeroPoint, begin, end));
        }
        ImageLayout layout = places.layout(site.operation().input(0), ImageLayout.NHWC);
        int block = layout == ImageLayout.NHWC ? extents.inner : layout == ImageLayout.NCHW ? 1 : Kernels.channelBlock();
        int blocks = (extents.inner + block - 1) / block;
        return new Step(extents.outer * blocks, memory -> (begin, end) -> {
            for (int unit = begin; unit < end; unit++) {
                int lanes = Math.min(block, extents.inner - unit % blocks * block);
                floats(memory.floats(), in + unit * extents.reduced * block, block, lanes, extents.reduced,
                        out + unit / blocks * extents.inner + unit % blocks * block);
            }
        });
    }

    private static void floats(float[] values, int in, int stride, int lanes, int rows, int out) {
        if (lanes == 1) {
            double sum = 0;
            for (int i = 0; i < rows; i++) {
                sum += values[in + i * stride];
            }
            values[out] = (float) (sum / rows);
            return;
        }
        Arrays.fill(values, out, out + lanes, 0);
        for (int i = 0; i < rows; i++) {
            for (int lane = 0; lane < lanes; lane++) {
                values[out + lane] += values[in + i * stride + lane];
            }
        }
        for (int lane = 0; lane < lanes; lane++) {
            values[out + lane] /= rows;
        }
    }

    private static void bytes(byte[] values, int in, int out, Extents extents, boolean signed, int zeroPoint, int begin, int end) {
        int mask = signed ? -1 : 0xff;
        for (int o = begin; o < end; o++) {
            for (int i = 0; i < extents.inner; i++) {
                int sum = 0;
                for (int k = 0; k < extents.reduced; k++) {
                    sum += (values[in + (o * extents.reduced + k) * extents.inner + i] & mask) - zeroPoint;
                }
                values[out + o * extents.inner + i] = (byte) (Rounding.HALF_EVEN.quotient(sum, extents.reduced) + zeroPoint);
            }
        }
    }
}
