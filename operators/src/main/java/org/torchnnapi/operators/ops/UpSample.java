package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.reals;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.QuantizedBilinear;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Resampling;
import org.torchnnapi.operators.support.Resampling.Kernel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Resizing by nearest, linear and cubic interpolation; sizes are given, or factors of the input's sizes. */
public final class UpSample implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.SPATIAL);
        for (int n = 1; n <= 3; n++) {
            String scales = n == 1
                    ? ", float? scales=None"
                    : (n == 3 ? ", float? scales_d=None" : "") + ", float? scales_h=None, float? scales_w=None";
            both(
                    n == 2 ? r.with(OperatorTrait.KEEPS_INTEGERS) : r,
                    "upsample_nearest" + n + "d",
                    n,
                    false,
                    scales,
                    Kernel.NEAREST);
            both(r, "_upsample_nearest_exact" + n + "d", n, false, scales, Kernel.NEAREST_EXACT);
        }
        both(r, "upsample_linear1d", 1, true, ", float? scales=None", Kernel.LINEAR);
        String two = ", float? scales_h=None, float? scales_w=None";
        both(r.with(OperatorTrait.ROUNDS_INTEGERS), "upsample_bilinear2d", 2, true, two, Kernel.LINEAR);
        both(r, "upsample_bicubic2d", 2, true, two, Kernel.CUBIC);
        both(r, "_upsample_bilinear2d_aa", 2, true, two, Kernel.LINEAR_ANTIALIAS);
        both(r, "_upsample_bicubic2d_aa", 2, true, two, Kernel.CUBIC_ANTIALIAS);
        both(r, "upsample_trilinear3d", 3, true, ", float? scales_d=None" + two, Kernel.LINEAR);
    }

    private static void both(Registrar r, String name, int n, boolean corners, String scales, Kernel kernel) {
        String align = corners ? ", bool align_corners" : "";
        int first = corners ? 3 : 2;
        r.op(
                "aten::" + name + ".vec(Tensor input, int[]? output_size" + align
                        + ", float[]? scale_factors) -> Tensor",
                a -> {
                    Tensor t = tensor(a, 0);
                    Double[] factors = new Double[n];
                    int[] sizes = new int[n];
                    if (a[1] != null) {
                        sizes = ints(a, 1, n);
                    } else {
                        double[] given = reals(a, first);
                        for (int i = 0; i < n; i++) {
                            factors[i] = given[Math.min(i, given.length - 1)];
                            sizes[i] = (int) Math.min(
                                    (long) (t.size(t.rank() - n + i) * (double) factors[i]), Integer.MAX_VALUE);
                        }
                    }
                    return resize(t, kernel, sizes, corners && flag(a, 2), factors);
                });
        r.op("aten::" + name + "(Tensor self, int[" + n + "] output_size" + align + scales + ") -> Tensor", a -> {
            Double[] factors = new Double[n];
            for (int i = 0; i < n; i++) {
                factors[i] = realOrNull(a, first + i);
            }
            return resize(tensor(a, 0), kernel, ints(a, 1, n), corners && flag(a, 2), factors);
        });
    }

    private static Tensor resize(Tensor t, Kernel kernel, int[] sizes, boolean align, Double[] scales) {
        if (t.dtype().isQuantized()
                && kernel == Kernel.LINEAR
                && t.rank() == 4
                && sizes.length == 2
                && sizes[0] > 0
                && sizes[1] > 0
                && t.numel() > 0) {
            return QuantizedBilinear.resize(t, sizes, align, scales);
        }
        if (t.dtype().isQuantized()) {
            return QuantizedMath.throughIntegers(t, x -> Resampling.resize(x, kernel, sizes, align, scales));
        }
        return Resampling.resize(t, kernel, sizes, align, scales);
    }
}
