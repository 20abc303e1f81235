package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.PoolingWindows;
import org.torchnnapi.operators.support.QuantizedAverages;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Maximum and average pooling over 1 to 3 dimensions, and their adaptive forms. */
public final class Pool implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.SPATIAL);
        for (int d = 1; d <= 3; d++) {
            int n = d;
            // Those of images have quantized kernels.
            Registrar largest = d == 2 ? r.with(OperatorTrait.KEEPS_INTEGERS) : r;
            Registrar averaging = d == 2 ? r.with(OperatorTrait.ROUNDS_INTEGERS) : r;
            String size = "int[" + d + "] ";
            String max = d + "d(Tensor self, " + size + "kernel_size, " + size + "stride=[], " + size + "padding=0, "
                    + size + "dilation=1, bool ceil_mode=False) -> ";
            define(
                    largest,
                    d,
                    "aten::max_pool" + max + "Tensor",
                    a -> isEmpty(a, n) ? empty(tensor(a, 0)) : max(a, n)[0],
                    """
                stretched = torch.max_pool2d(torch.unsqueeze(self, -2), [1, kernel_size[0]], [1, step], [0, \
                padding[0]], [1, dilation[0]], ceil_mode)
                return torch.squeeze(stretched, -2)""");
            define(
                    r,
                    d,
                    "aten::max_pool" + max.replace("d(", "d_with_indices(") + "(Tensor, Tensor)",
                    a -> max(a, n),
                    """
                largest, places = torch.max_pool2d_with_indices(torch.unsqueeze(self, -2), [1, kernel_size[0]], [1, \
                step], [0, padding[0]], [1, dilation[0]], ceil_mode)
                return (torch.squeeze(largest, -2), torch.squeeze(places, -2))""");
            String count = ", bool ceil_mode=False, bool count_include_pad=True";
            String divisor = d == 1 ? "" : ", int? divisor_override=None";
            define(
                    averaging,
                    d,
                    "aten::avg_pool" + d + "d(Tensor self, " + size + "kernel_size, " + size + "stride=[], " + size
                            + "padding=0" + count + divisor + ") -> Tensor",
                    a -> average(a, n),
                    """
                stretched = torch.avg_pool2d(torch.unsqueeze(self, -2), [1, kernel_size[0]], [1, step], [0, \
                padding[0]], ceil_mode, count_include_pad)
                return torch.squeeze(stretched, -2)""");
            define(
                    averaging,
                    d,
                    "aten::adaptive_avg_pool" + d + "d(Tensor self, " + size + "output_size) -> Tensor",
                    a -> adaptiveAverage(tensor(a, 0), adaptiveSizes(a, n)),
                    "return torch.squeeze(torch.adaptive_avg_pool2d(torch.unsqueeze(self, -2), [1, output_size[0]]), "
                            + "-2)");
            define(
                    r,
                    d,
                    "aten::adaptive_max_pool" + d + "d(Tensor self, " + size + "output_size) -> (Tensor, Tensor)",
                    a -> adaptive(tensor(a, 0), adaptiveSizes(a, n), true),
                    """
                largest, places = torch.adaptive_max_pool2d(torch.unsqueeze(self, -2), [1, output_size[0]])
                return (torch.squeeze(largest, -2), torch.squeeze(places, -2))""");
        }
        r.op(
                "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
                a -> adaptive(tensor(a, 0), adaptiveSizes(a, 2), false)[0]);
    }

    /** Pools of rows are those of images with one row. */
    private static void define(Registrar r, int dimensions, String schema, OperatorKernel plain, String ofImages) {
        if (dimensions != 1) {
            r.op(schema, plain);
            return;
        }
        String step = !ofImages.contains("step") ? "" : """
            if torch.eq(torch.len(stride), 0):
              step = kernel_size[0]
            else:
              step = stride[0]
            """;
        r.composite(schema, plain, step + ofImages);
    }

    private static int[] adaptiveSizes(Object[] a, int n) {
        int[] sizes = ints(a, 1, n);
        if (Arrays.stream(sizes).anyMatch(s -> s < 0)) {
            throw new IllegalArgumentException("output_size: " + Arrays.toString(sizes) + " (expected: >= 0)");
        }
        return sizes;
    }

    private static int[] stride(Object[] a, int[] kernel) {
        int[] stride = ints(a, 2);
        return stride.length == 0 ? kernel : ints(a, 2, kernel.length);
    }

    /** Whether there is room for no window: without places, and along one dimension, that is no error. */
    private static boolean isEmpty(Object[] a, int n) {
        Tensor t = tensor(a, 0);
        if (n > 1 || t.rank() < 2 || t.dtype().isQuantized()) {
            return false;
        }
        int kernel = ints(a, 1, 1)[0];
        int stride = stride(a, new int[] {kernel})[0];
        return stride > 0
                && PoolingWindows.count(
                                t.size(t.rank() - 1), kernel, stride, ints(a, 3, 1)[0], ints(a, 4, 1)[0], flag(a, 5))
                        == 0;
    }

    private static Tensor empty(Tensor t) {
        int[] sizes = t.sizes().clone();
        sizes[sizes.length - 1] = 0;
        return Tensor.zeros(t.dtype(), sizes);
    }

    private static Tensor[] max(Object[] a, int n) {
        Tensor t = tensor(a, 0);
        int[] kernel = ints(a, 1, n);
        PoolingWindows w =
                PoolingWindows.sliding(t, kernel, stride(a, kernel), ints(a, 3, n), ints(a, 4, n), flag(a, 5));
        if (t.dtype().isQuantized()) {
            // Greatest integer is greatest real value; the parameters stay.
            Tensor plain = max(QuantizedMath.integers(t), w)[0];
            Tensor out = QuantizedMath.retyped(plain, t.dtype(), t.quantization());
            boolean last = QuantizedAverages.isQnnpackSliding(t, n, flag(a, 5));
            return new Tensor[] {
                last
                        ? QuantizedAverages.asGiven(t, out.copy(MemoryFormat.CHANNELS_LAST))
                        : MemoryOrder.asSuggested(t, out),
                null
            };
        }
        Tensor[] both = max(t, w);
        return new Tensor[] {MemoryOrder.asSuggested(t, both[0]), MemoryOrder.asSuggested(t, both[1])};
    }

    private static Tensor[] max(Tensor t, PoolingWindows w) {
        double[] x = Elements.doubles(t);
        double[] out = new double[w.resultCount()];
        long[] indices = new long[out.length];
        double[] best = new double[1];
        long[] where = new long[1];
        w.forEach((plane, at, result) -> {
            best[0] = Double.NEGATIVE_INFINITY;
            where[0] = -1;
            w.forEachInside(inPlane -> {
                double v = x[plane + inPlane];
                if (v > best[0] || v != v || where[0] < 0) {
                    best[0] = v;
                    where[0] = inPlane;
                }
            });
            out[result] = best[0];
            indices[result] = where[0];
        });
        return new Tensor[] {
            Elements.ofDoubles(t.dtype(), out, w.resultSizes()), Elements.ofLongs(DType.INT64, indices, w.resultSizes())
        };
    }

    private static Tensor average(Object[] a, int n) {
        int[] kernel = ints(a, 1, n);
        Long divisor = n == 1 ? null : integerOrNull(a, 6);
        if (divisor != null && divisor == 0) {
            throw new IllegalArgumentException("divisor must be not zero");
        }
        Tensor t = tensor(a, 0);
        boolean countPadding = flag(a, 5);
        if (t.dtype().isQuantized() && n == 1) {
            int[] stride = stride(a, kernel);
            int[] flat = {1, kernel[0]};
            Tensor images = TensorViews.unsqueeze(t, -2);
            PoolingWindows w = PoolingWindows.sliding(
                    images, flat, new int[] {1, stride[0]}, new int[] {0, ints(a, 3, 1)[0]}, filled(2, 1), flag(a, 4));
            return TensorViews.squeeze(QuantizedAverages.sliding(images, w, flat, flag(a, 4), countPadding, null), -2)
                    .contiguous();
        }
        PoolingWindows w =
                PoolingWindows.sliding(t, kernel, stride(a, kernel), ints(a, 3, n), filled(n, 1), flag(a, 4));
        if (t.dtype().isQuantized()) {
            return QuantizedAverages.sliding(t, w, kernel, flag(a, 4), countPadding, divisor);
        }
        return MemoryOrder.asSuggested(t, average(t, w, countPadding, divisor));
    }

    private static Tensor average(Tensor t, PoolingWindows w, boolean countPadding, Long divisor) {
        double[] x = Elements.doubles(t);
        double[] out = new double[w.resultCount()];
        double[] sum = new double[1];
        int[] inside = new int[1];
        w.forEach((plane, at, result) -> {
            sum[0] = 0;
            inside[0] = 0;
            w.forEachInside(inPlane -> {
                sum[0] += x[plane + inPlane];
                inside[0]++;
            });
            out[result] = sum[0] / (divisor != null ? divisor : countPadding ? w.paddedCount() : inside[0]);
        });
        return Elements.ofDoubles(t.dtype(), out, w.resultSizes());
    }

    /** One window is a mean, which PyTorch takes of tensors of any rank, and of no elements. */
    private static Tensor adaptiveAverage(Tensor t, int... sizes) {
        int n = sizes.length;
        boolean images = t.rank() == n + 1 || t.rank() == n + 2;
        boolean single = n > 1
                && Arrays.stream(sizes).allMatch(size -> size == 1)
                && !t.dtype().isQuantized();
        return single && t.rank() >= n && !(images && t.numel() > 0)
                ? ReduceOps.mean(t, LongStream.rangeClosed(-n, -1).toArray(), true, null)
                : adaptive(t, sizes, false)[0];
    }

    private static Tensor[] adaptive(Tensor t, int[] sizes, boolean max) {
        PoolingWindows w = PoolingWindows.adaptive(t, sizes);
        // Averages of images take no channels.
        for (int d = max || sizes.length == 3 ? 1 : t.rank() - sizes.length; d < t.rank(); d++) {
            if (t.size(d) == 0) {
                throw new IllegalArgumentException("adaptive_" + (max ? "max" : "avg") + "_pool" + sizes.length
                        + "d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                        + Arrays.toString(t.sizes()) + " with dimension " + d + " being empty");
            }
        }
        if (max) {
            Tensor[] both = max(t, w);
            return new Tensor[] {MemoryOrder.asSuggested(t, both[0]), MemoryOrder.asSuggested(t, both[1])};
        }
        if (t.dtype().isQuantized() && sizes.length == 1) {
            Tensor images = TensorViews.unsqueeze(t, -2);
            int[] flat = {1, sizes[0]};
            return new Tensor[] {
                TensorViews.squeeze(QuantizedAverages.adaptive(images, PoolingWindows.adaptive(images, flat), flat), -2)
                        .contiguous()
            };
        }
        return new Tensor[] {
            t.dtype().isQuantized()
                    ? QuantizedAverages.adaptive(t, w, sizes)
                    : MemoryOrder.asSuggested(t, average(t, w, false, null))
        };
    }

    private static int[] filled(int n, int value) {
        int[] out = new int[n];
        Arrays.fill(out, value);
        return out;
    }
}
