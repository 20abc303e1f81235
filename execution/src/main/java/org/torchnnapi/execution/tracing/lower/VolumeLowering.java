package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling.Kind;
import org.torchnnapi.kernels.Pooling.Window;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.ConvolutionPlan;
import org.torchnnapi.operators.support.PoolingWindows;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.VolumeConvolutionOp;
import org.torchnnapi.program.op.VolumePoolOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Convolutions and pooling of float32 volumes {@code [N, C, D, H, W]}, which a program has as batches of their slices
 * {@code [N * D, C, H, W]}: see {@link Lowered#slices}.
 */
final class VolumeLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add(
                "aten::max_pool3d",
                (lowered, node, a) -> sliding(lowered, a, Kind.MAX, Args.ints(a, 4, 3), Args.flag(a, 5)));
        r.add("aten::avg_pool3d", (lowered, node, a) -> {
            Support.require((a.length < 7 || a[6] == null) && !Args.flag(a, 4), "whole windows and no divisor");
            boolean padded =
                    Args.flag(a, 5) && Arrays.stream(Args.ints(a, 3, 3)).anyMatch(p -> p != 0);
            return sliding(lowered, a, padded ? Kind.AVERAGE_WITH_PADDING : Kind.AVERAGE, new int[] {1, 1, 1}, false);
        });
        r.add("aten::adaptive_avg_pool3d", (lowered, node, a) -> {
            Tensor t = volumes(a);
            int[] wanted = Args.ints(a, 1, 3);
            Support.require(Arrays.stream(wanted).allMatch(size -> size >= 1), "at least one window");
            Tensor pooled = lowered.slices(t);
            if (wanted[1] != t.size(3) || wanted[2] != t.size(4)) {
                Window window = Window.adaptive(t.size(1), t.size(3), t.size(4), wanted[1], wanted[2]);
                pooled = planes(lowered, pooled, Kind.AVERAGE, window);
            }
            if (wanted[0] != t.size(2)) {
                int[][] taps = new int[wanted[0]][];
                for (int o = 0; o < taps.length; o++) {
                    taps[o] = IntStream.range(
                                    WindowAxis.partStart(t.size(2), taps.length, o),
                                    WindowAxis.partEnd(t.size(2), taps.length, o))
                            .toArray();
                }
                pooled = slices(lowered, pooled, t, new VolumePoolOp(taps, t.size(2), true, 0));
            }
            return lowered.volumes(pooled, t.size(0));
        });
    }

    private static Tensor volumes(Object[] a) {
        Tensor t = Support.floats(a, 0);
        Support.require(t.rank() == 5, "a batch of volumes");
        return t;
    }

    static Tensor convolution(Lowered lowered, Tensor input, Tensor weight, Tensor bias, ConvolutionPlan plan) {
        int[] sizes = plan.outputSizes(input, weight.sizes());
        Support.require(sizes[1] > 0 && (bias == null || bias.numel() == sizes[1]), "channels, and a bias for each");
        int[] in = input.sizes();
        int[] kernel = weight.sizes();
        ConvShape shape = new ConvShape(
                in[1],
                in[3],
                in[4],
                sizes[1],
                kernel[3],
                kernel[4],
                plan.stride()[1],
                plan.stride()[2],
                plan.dilation()[1],
                plan.dilation()[2],
                plan.padding()[1],
                plan.padding()[1],
                plan.padding()[2],
                plan.padding()[2],
                plan.groups(),
                false,
                0,
                0);
        if (plan.transposed()) {
            shape = shape.transposed(plan.outputPadding()[1], plan.outputPadding()[2]);
        }
        int[][] taps = new int[sizes[2]][kernel[2]];
        for (int o = 0; o < taps.length; o++) {
            for (int k = 0; k < kernel[2]; k++) {
                taps[o][k] = tap(plan, o, k, in[2]);
            }
        }
        VolumeConvolutionOp op = new VolumeConvolutionOp(
                shape, taps, in[2], Support.weights(weight), Support.valuesOrNull(bias), Activation.of(Clamp.NONE));
        Tensor out = lowered.compute(
                op,
                Lowered.tensor(DType.FLOAT32, null, in[0] * sizes[2], sizes[1], sizes[3], sizes[4]),
                lowered.slices(input));
        return lowered.volumes(out, in[0]);
    }

    /** Where along the depth a slice of the kernel meets the input for a slice of the result; -1 for nowhere. */
    private static int tap(ConvolutionPlan plan, int o, int k, int depth) {
        int reach = k * plan.dilation()[0];
        int at = plan.transposed() ? o + plan.padding()[0] - reach : o * plan.stride()[0] - plan.padding()[0] + reach;
        if (plan.transposed()) {
            at = at % plan.stride()[0] == 0 ? at / plan.stride()[0] : -1;
        }
        return at >= 0 && at < depth ? at : -1;
    }

    private static Tensor sliding(Lowered lowered, Object[] a, Kind kind, int[] dilation, boolean ceil) {
        Tensor t = volumes(a);
        int[] kernel = Args.ints(a, 1, 3);
        int[] stride = Args.ints(a, 2).length == 0 ? kernel : Args.ints(a, 2, 3);
        int[] padding = Args.ints(a, 3, 3);
        int[] sizes = PoolingWindows.sliding(t, kernel, stride, padding, dilation, ceil)
                .resultSizes();
        return pool(lowered, t, kind, Arrays.copyOfRange(sizes, 2, 5), kernel, stride, padding, dilation);
    }

    /**
     * Along height and width first, then along the depth: greatest ones are that of the greatest, and means that of the
     * means.
     */
    private static Tensor pool(
            Lowered lowered,
            Tensor t,
            Kind kind,
            int[] made,
            int[] kernel,
            int[] stride,
            int[] padding,
            int[] dilation) {
        int depth = t.size(2);
        Tensor x = lowered.slices(t);
        if (Math.max(kernel[1], kernel[2]) > 1 || Math.max(stride[1], stride[2]) > 1) {
            Window window = new Window(
                    t.size(1),
                    t.size(3),
                    t.size(4),
                    made[1],
                    made[2],
                    kernel[1],
                    kernel[2],
                    stride[1],
                    stride[2],
                    dilation[1],
                    dilation[2],
                    padding[1],
                    padding[2],
                    padding[1],
                    padding[2]);
            x = planes(lowered, x, kind, window);
        }
        if (kernel[0] > 1 || stride[0] > 1) {
            int[][] taps = new int[made[0]][];
            for (int o = 0; o < taps.length; o++) {
                long first = (long) o * stride[0] - padding[0];
                long behind = first < 0 ? (dilation[0] - 1 - first) / dilation[0] : 0;
                long end = Math.min(kernel[0], Math.floorDiv(depth - 1 - first, (long) dilation[0]) + 1);
                taps[o] = LongStream.range(behind, end)
                        .mapToInt(k -> (int) (first + k * dilation[0]))
                        .toArray();
            }
            int divisor = kind == Kind.AVERAGE_WITH_PADDING ? kernel[0] : 0;
            x = slices(lowered, x, t, new VolumePoolOp(taps, depth, kind != Kind.MAX, divisor));
        }
        return lowered.volumes(x, t.size(0));
    }

    /** Pools each of a batch of slices by itself. */
    private static Tensor planes(Lowered lowered, Tensor slices, Kind kind, Window window) {
        return lowered.compute(
                new PoolOp(kind, window, ImageLayout.NCHW, Clamp.NONE),
                Lowered.tensor(DType.FLOAT32, null, slices.size(0), window.channels(), window.outH(), window.outW()),
                slices);
    }

    /** Pools the slices of the volumes {@code t} with each other. */
    private static Tensor slices(Lowered lowered, Tensor slices, Tensor t, VolumePoolOp op) {
        return lowered.compute(
                op,
                Lowered.tensor(
                        DType.FLOAT32, null, t.size(0) * op.outDepth(), t.size(1), slices.size(2), slices.size(3)),
                slices);
    }
}
