package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.ConvolutionPlan;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Convolutions of images, of sequences and of volumes, ordinary and transposed, with constant float32 weights. */
final class ConvolutionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (int d = 1; d <= 3; d++) {
            int spatial = d;
            r.add(
                    "aten::conv" + d + "d",
                    (lowered, node, a) -> lower(
                            lowered,
                            a,
                            new ConvolutionPlan(
                                    Args.ints(a, 3, spatial),
                                    padding(a, spatial),
                                    Args.ints(a, 5, spatial),
                                    false,
                                    new int[spatial],
                                    Args.int32(a, 6))));
            r.add(
                    "aten::conv_transpose" + d + "d",
                    (lowered, node, a) -> lower(
                            lowered,
                            a,
                            new ConvolutionPlan(
                                    Args.ints(a, 3, spatial),
                                    Args.ints(a, 4, spatial),
                                    Args.ints(a, 7, spatial),
                                    true,
                                    Args.ints(a, 5, spatial),
                                    Args.int32(a, 6))));
        }
        r.add("aten::_convolution", (lowered, node, a) -> general(lowered, a));
        r.add("aten::convolution", (lowered, node, a) -> general(lowered, a));
    }

    private static Tensor general(Lowered lowered, Object[] a) {
        int spatial = Args.tensor(a, 1).rank() - 2;
        boolean transposed = Args.flag(a, 6);
        return lower(
                lowered,
                a,
                new ConvolutionPlan(
                        Args.ints(a, 3, spatial),
                        Args.ints(a, 4, spatial),
                        Args.ints(a, 5, spatial),
                        transposed,
                        transposed ? Args.ints(a, 7, spatial) : new int[spatial],
                        Args.int32(a, 8)));
    }

    /** A number a dimension; the name {@code same} only where it is as much on both sides. */
    private static int[] padding(Object[] a, int spatial) {
        if (!(a[4] instanceof String name)) {
            return Args.ints(a, 4, spatial);
        }
        int[] both = new int[spatial];
        if (name.equals("valid")) {
            return both;
        }
        Support.require(
                name.equals("same") && Arrays.stream(Args.ints(a, 3, spatial)).allMatch(s -> s == 1),
                "padding valid or same, stride 1");
        for (int i = 0; i < spatial; i++) {
            int total = Args.ints(a, 5, spatial)[i] * (Args.tensor(a, 1).sizes()[i + 2] - 1);
            Support.require(total % 2 == 0, "as much padding before as behind");
            both[i] = total / 2;
        }
        return both;
    }

    private static Tensor lower(Lowered lowered, Object[] a, ConvolutionPlan plan) {
        return lower(
                lowered,
                Support.floats(a, 0),
                Support.constant(lowered, a, 1),
                Support.constantOrNull(lowered, a, 2),
                plan,
                Clamp.NONE);
    }

    static Tensor lower(Lowered lowered, Tensor input, Tensor weight, Tensor bias, ConvolutionPlan plan, Clamp clamp) {
        if (input.rank() == 5 && weight.rank() == 5 && clamp.isNone()) {
            return VolumeLowering.convolution(lowered, input, weight, bias, plan);
        }
        Support.require(
                input.rank() == weight.rank()
                        && (input.rank() == 3 || input.rank() == 4)
                        && input.dtype() == DType.FLOAT32
                        && input.size(1) > 0,
                "a batch of float32 images or sequences");
        int[] sizes = plan.outputSizes(input, weight.sizes());
        Support.require(bias == null || bias.numel() == sizes[1], "a bias for each channel");
        ConvShape shape = plan.image(input.sizes(), weight.sizes(), sizes[1]);
        if (input.rank() == 3) {
            Tensor image = lowered.compute(
                    new ReshapeOp(flat(input.sizes())),
                    Lowered.tensor(DType.FLOAT32, null, flat(input.sizes())),
                    input);
            Tensor result = images(
                    lowered, shape, image, weight, bias, clamp, Lowered.tensor(DType.FLOAT32, null, flat(sizes)));
            return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), result);
        }
        boolean last = MemoryOrder.suggested(input) == MemoryFormat.CHANNELS_LAST
                || MemoryOrder.suggested(weight) == MemoryFormat.CHANNELS_LAST;
        return images(
                lowered,
                shape,
                input,
                weight,
                bias,
                clamp,
                Lowered.tensor(
                        DType.FLOAT32, null, last ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CONTIGUOUS, sizes));
    }

    private static Tensor images(
            Lowered lowered, ConvShape shape, Tensor images, Tensor weight, Tensor bias, Clamp clamp, Tensor geometry) {
        if (PhasedConvolution.suits(shape)) {
            return PhasedConvolution.lower(lowered, shape, images, weight, Support.valuesOrNull(bias), clamp, geometry);
        }
        return lowered.compute(
                new ConvolutionOp(shape, ImageLayout.NCHW, Support.weights(weight), Support.valuesOrNull(bias), clamp),
                geometry,
                images);
    }

    /** A sequence as an image of height 1. */
    private static int[] flat(int[] sizes) {
        return new int[] {sizes[0], sizes[1], 1, sizes[2]};
    }
}
