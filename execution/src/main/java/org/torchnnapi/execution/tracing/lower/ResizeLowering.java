package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.ResizeOp;
import org.torchnnapi.program.op.ResizeOp.Interpolation;
import org.torchnnapi.program.op.VolumeResizeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Resizing of sequences, images and volumes, to the nearest element or between neighbours: float32, and to the nearest
 * bytes of images too.
 */
final class ResizeLowering implements LoweringFamily {
    /**
     * What a call asks for.
     *
     * @param sizes of the result, without batch and channels
     * @param steps how many elements of the input one of the result stands for, along each
     */
    private record Request(boolean linear, Coordinates coordinates, int[] sizes, float[] steps) {
        static Request of(Tensor t, Object[] a, int n, boolean linear, boolean exact) {
            boolean align = linear && Args.flag(a, 2);
            int first = linear ? 3 : 2;
            int[] sizes = new int[n];
            float[] steps = new float[n];
            for (int i = 0; i < n; i++) {
                int in = t.size(2 + i);
                Double factor = null;
                if (a[1] != null) {
                    sizes[i] = Args.ints(a, 1, n)[i];
                    // One schema has a number for each dimension, another a list that is there only without sizes.
                    factor = a.length == first + n && !(a[first + i] instanceof ScriptList)
                            ? Args.realOrNull(a, first + i)
                            : null;
                } else {
                    double[] factors = Args.reals(a, first);
                    factor = factors[Math.min(i, factors.length - 1)];
                    sizes[i] = (int) Math.min((long) (in * (double) factor), Integer.MAX_VALUE);
                }
                Support.require(sizes[i] > 0 && in > 0, "a positive size");
                steps[i] = factor != null && factor > 0 ? (float) (1 / factor) : (float) in / sizes[i];
            }
            Coordinates middle =
                    linear ? Coordinates.HALF_PIXEL_DOUBLE : exact ? Coordinates.HALF_PIXEL : Coordinates.ASYMMETRIC;
            return new Request(linear, align ? Coordinates.ALIGN_CORNERS_DOUBLE : middle, sizes, steps);
        }

        /** Whether a dimension stays as it is. */
        boolean keeps(int in, int i) {
            return sizes[i] == in && (steps[i] == 1 || linear);
        }

        /** Of the last two dimensions, or of the only one. */
        ResizeOp images(boolean channelsLast) {
            int last = sizes.length - 1;
            Interpolation interpolation = !linear
                    ? Interpolation.NEAREST
                    : channelsLast ? Interpolation.BILINEAR_BY_CORNERS : Interpolation.BILINEAR;
            return new ResizeOp(
                    interpolation,
                    ImageLayout.NCHW,
                    last == 0 ? 1 : sizes[last - 1],
                    sizes[last],
                    coordinates,
                    last == 0 ? 1 : steps[last - 1],
                    steps[last],
                    Rounding.HALF_EVEN);
        }
    }

    @Override
    public void register(Registrar r) {
        String[] linear = {"upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"};
        for (int d = 1; d <= linear.length; d++) {
            int n = d;
            r.add("aten::" + linear[n - 1], (lowered, node, a) -> resize(lowered, a, n, true, false));
            r.add("aten::upsample_nearest" + n + "d", (lowered, node, a) -> resize(lowered, a, n, false, false));
            r.add("aten::_upsample_nearest_exact" + n + "d", (lowered, node, a) -> resize(lowered, a, n, false, true));
        }
    }

    /** @param exact whether the nearest is that of the middle */
    private static Tensor resize(Lowered lowered, Object[] a, int n, boolean linear, boolean exact) {
        Tensor t = Args.tensor(a, 0);
        boolean bytes = !linear && n == 2 && Support.isBytes(t);
        Support.require(
                t.rank() == n + 2 && (t.dtype() == DType.FLOAT32 || bytes),
                "a batch of float32, or images of bytes to the nearest");
        Support.require(
                n < 3 || !linear || !t.isContiguous(MemoryFormat.CHANNELS_LAST_3D),
                "volumes whose rows lie together, if they are mixed");
        Request request = Request.of(t, a, n, linear, exact);
        int[] sizes = request.sizes();
        return switch (n) {
            case 1 -> sequences(lowered, t, request);
            case 2 ->
                lowered.compute(
                        request.images(t.isContiguous(MemoryFormat.CHANNELS_LAST)),
                        Support.inFormatOf(t, t.size(0), t.size(1), sizes[0], sizes[1]),
                        t);
            default -> volumes(lowered, t, request);
        };
    }

    private static Tensor sequences(Lowered lowered, Tensor t, Request request) {
        int[] image = {t.size(0), t.size(1), 1, t.size(2)};
        int[] made = {t.size(0), t.size(1), 1, request.sizes()[0]};
        int[] result = {t.size(0), t.size(1), request.sizes()[0]};
        Tensor in = lowered.compute(new ReshapeOp(image), Lowered.tensor(DType.FLOAT32, null, image), t);
        Tensor out = lowered.compute(request.images(false), Lowered.tensor(DType.FLOAT32, null, made), in);
        return lowered.compute(new ReshapeOp(result), Lowered.tensor(DType.FLOAT32, null, result), out);
    }

    /**
     * Along height and width and then along the depth, as PyTorch does; the nearest, which are the same either way,
     * first where there is less to do afterwards.
     */
    private static Tensor volumes(Lowered lowered, Tensor t, Request request) {
        int[] sizes = request.sizes();
        boolean planesFirst = request.linear() || (long) sizes[1] * sizes[2] < (long) t.size(3) * t.size(4);
        Tensor x = lowered.slices(t);
        for (boolean planes : new boolean[] {planesFirst, !planesFirst}) {
            int[] made = x.sizes().clone();
            if (planes && !(request.keeps(t.size(3), 1) && request.keeps(t.size(4), 2))) {
                made[2] = sizes[1];
                made[3] = sizes[2];
                x = lowered.compute(request.images(false), Lowered.tensor(DType.FLOAT32, null, made), x);
            } else if (!planes && !request.keeps(t.size(2), 0)) {
                made[0] = t.size(0) * sizes[0];
                x = lowered.compute(
                        new VolumeResizeOp(
                                request.linear(), t.size(2), sizes[0], request.coordinates(), request.steps()[0]),
                        Lowered.tensor(DType.FLOAT32, null, made),
                        x);
            }
        }
        return lowered.volumes(x, t.size(0));
    }
}
