package org.torchnnapi.torchscript.specialise.lower;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.op.Resize;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;

/** Resizing of images to the nearest element (bytes too) or between four (float32). */
final class ResizeLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::upsample_nearest2d", (lowered, node, a) -> resize(lowered, a, false));
        r.add("aten::upsample_bilinear2d", (lowered, node, a) -> resize(lowered, a, true));
    }

    private static Tensor resize(Lowered lowered, Object[] a, boolean bilinear) {
        Tensor t = Args.tensor(a, 0);
        Support.require(t.rank() == 4 && (t.dtype() == DType.FLOAT32 || !bilinear && Support.isBytes(t)), "float32 images, or bytes to the nearest");
        boolean align = bilinear && Args.flag(a, 2);
        int first = bilinear ? 3 : 2;
        // Schemas differ: the one has a list of factors in the place of the other's first number.
        boolean list = a.length == first + 1;
        int[] sizes = new int[2];
        float[] steps = new float[2];
        for (int i = 0; i < 2; i++) {
            int in = t.size(2 + i);
            Double factor;
            if (list) {
                factor = a[1] != null ? null : Args.reals(a, first)[Math.min(i, Args.reals(a, first).length - 1)];
                sizes[i] = a[1] != null ? Args.ints(a, 1, 2)[i] : (int) Math.min((long) (in * (double) factor), Integer.MAX_VALUE);
            } else {
                factor = Args.realOrNull(a, first + i);
                sizes[i] = Args.ints(a, 1, 2)[i];
            }
            Support.require(sizes[i] > 0, "a positive size");
            steps[i] = factor != null && factor > 0 ? (float) (1 / factor) : (float) in / sizes[i];
        }
        Coordinates coordinates = !bilinear ? Coordinates.ASYMMETRIC : align ? Coordinates.ALIGN_CORNERS : Coordinates.HALF_PIXEL;
        return lowered.compute(new Resize(bilinear, ImageLayout.NCHW, sizes[0], sizes[1], coordinates, steps[0], steps[1], Rounding.HALF_EVEN),
            Support.inFormatOf(t, t.size(0), t.size(1), sizes[0], sizes[1]), t);
    }
}
