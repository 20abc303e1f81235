package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.ConvolutionPlan;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.PlainConvolution;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Convolutions of 1 to 3 dimensions, ordinary and transposed. An input without batch dimension is taken as a batch of
 * one.
 */
public final class ConvolutionFamily implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.SPATIAL, OperatorTrait.CONVOLVES);
        for (String name : new String[] {"aten::_convolution", "aten::_convolution.deprecated"}) {
            String flags = name.endsWith("deprecated") ? "" : ", bool allow_tf32";
            r.op(
                    name
                            + "(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] "
                            + "dilation, bool transposed, "
                            + "int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled"
                            + flags + ") -> Tensor",
                    ConvolutionFamily::general);
        }
        r.op(
                "aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
                        + "int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
                ConvolutionFamily::general);
        for (int d = 1; d <= 3; d++) {
            int spatial = d;
            String size = "int[" + d + "] ";
            String end = size + "dilation=1, int groups=1) -> Tensor";
            String begin = "(Tensor input, Tensor weight, Tensor? bias=None, " + size + "stride=1, ";
            r.op(
                    "aten::conv" + d + "d" + begin + size + "padding=0, " + end,
                    a -> convolve(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensorOrNull(a, 2),
                            new ConvolutionPlan(
                                    ints(a, 3, spatial),
                                    ints(a, 4, spatial),
                                    ints(a, 5, spatial),
                                    false,
                                    fill(spatial, 0),
                                    int32(a, 6))));
            r.op(
                    "aten::conv" + d + "d.padding" + begin + "str padding=\"valid\", " + end,
                    a -> named(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensorOrNull(a, 2),
                            ints(a, 3, spatial),
                            text(a, 4),
                            ints(a, 5, spatial),
                            int32(a, 6)));
            r.op(
                    "aten::conv_transpose" + d + "d" + (d == 1 ? "" : ".input") + begin + size + "padding=0, " + size
                            + "output_padding=0, int groups=1, " + size + "dilation=1) -> Tensor",
                    a -> convolve(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensorOrNull(a, 2),
                            new ConvolutionPlan(
                                    ints(a, 3, spatial),
                                    ints(a, 4, spatial),
                                    ints(a, 7, spatial),
                                    true,
                                    ints(a, 5, spatial),
                                    int32(a, 6))));
        }
        r.composite(
                "aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, int[] stride, str padding, "
                        + "int[] dilation, int groups) -> Tensor",
                a -> named(
                        tensor(a, 0),
                        tensor(a, 1),
                        tensorOrNull(a, 2),
                        ints(a, 3),
                        text(a, 4),
                        ints(a, 5),
                        int32(a, 6)),
                """
            if torch.eq(torch.dim(weight), 3):
              result = torch.conv1d(input, weight, bias, stride, padding, dilation, groups)
            else:
              if torch.eq(torch.dim(weight), 4):
                result = torch.conv2d(input, weight, bias, stride, padding, dilation, groups)
              else:
                result = torch.conv3d(input, weight, bias, stride, padding, dilation, groups)
            return result""");
    }

    private static int[] fill(int count, int value) {
        int[] values = new int[count];
        Arrays.fill(values, value);
        return values;
    }

    /**
     * The dimensions that windows move along.
     *
     * @throws IllegalArgumentException if the weight has none, or the input is no image, and no batch of images, of as
     *     many
     */
    private static int spatial(Tensor input, Tensor weight) {
        int spatial = weight.rank() - 2;
        if (spatial < 1) {
            throw new IllegalArgumentException("weight should have at least three dimensions, but got weight of size: "
                    + Arrays.toString(weight.sizes()));
        }
        if (input.rank() != spatial + 1 && input.rank() != spatial + 2) {
            throw new IllegalArgumentException(
                    "Expected " + (spatial + 1) + "D (unbatched) or " + (spatial + 2) + "D (batched) input to conv"
                            + spatial + "d, but got input of size: " + Arrays.toString(input.sizes()));
        }
        return spatial;
    }

    static Tensor general(Object[] a) {
        int spatial = spatial(tensor(a, 0), tensor(a, 1));
        return convolve(
                tensor(a, 0),
                tensor(a, 1),
                tensorOrNull(a, 2),
                new ConvolutionPlan(
                        ints(a, 3, spatial),
                        ints(a, 4, spatial),
                        ints(a, 5, spatial),
                        flag(a, 6),
                        flag(a, 6) ? ints(a, 7, spatial) : fill(spatial, 0),
                        int32(a, 8)));
    }

    /**
     * Padding given as {@code valid} (none) or {@code same} (output as large as the input; the odd element goes to the
     * end).
     */
    private static Tensor named(
            Tensor input, Tensor weight, Tensor bias, int[] stride, String padding, int[] dilation, int groups) {
        int spatial = spatial(input, weight);
        int[] both = new int[spatial];
        Tensor padded = input;
        switch (padding) {
            case "valid" -> {}
            case "same" -> {
                int[] extra = new int[2 * spatial];
                boolean uneven = false;
                for (int i = 0; i < spatial; i++) {
                    if (stride[Math.min(i, stride.length - 1)] != 1) {
                        throw new IllegalArgumentException("padding='same' is not supported for strided convolutions");
                    }
                    WindowAxis axis = WindowAxis.same(
                            input.size(i - spatial),
                            weight.sizes()[i + 2],
                            1,
                            dilation[Math.min(i, dilation.length - 1)]);
                    both[i] = axis.before();
                    extra[2 * (spatial - 1 - i) + 1] = axis.after() - axis.before();
                    uneven |= axis.after() != axis.before();
                }
                padded = uneven ? PadNd.constant(input, extra, 0L) : input;
            }
            default -> throw new IllegalArgumentException("Invalid padding string: '" + padding + "'");
        }
        return convolve(
                padded,
                weight,
                bias,
                new ConvolutionPlan(
                        spread(stride, spatial), both, spread(dilation, spatial), false, fill(spatial, 0), groups));
    }

    private static int[] spread(int[] values, int count) {
        return values.length == count ? values : fill(count, values[0]);
    }

    static Tensor convolve(Tensor input, Tensor weight, Tensor bias, ConvolutionPlan plan) {
        return convolve(input, weight, bias, plan, Clamp.NONE);
    }

    private static Tensor complex(Tensor input, Tensor weight, Tensor bias, ConvolutionPlan plan) {
        Tensor[] x = {ComplexParts.part(input, 0), ComplexParts.part(input, 1)};
        Tensor[] w = {ComplexParts.part(weight, 0), ComplexParts.part(weight, 1)};
        Tensor real = BinaryOps.subtract(
                convolve(x[0], w[0], bias == null ? null : ComplexParts.part(bias, 0), plan),
                convolve(x[1], w[1], null, plan),
                1L);
        Tensor imaginary = BinaryOps.add(
                convolve(x[0], w[1], bias == null ? null : ComplexParts.part(bias, 1), plan),
                convolve(x[1], w[0], null, plan),
                1L);
        return ComplexParts.join(real, imaginary, input.dtype());
    }

    /** @param clamp limits of the result, applied in float32 */
    static Tensor convolve(Tensor input, Tensor weight, Tensor bias, ConvolutionPlan plan, Clamp clamp) {
        if (input.rank() == weight.rank() - 1) {
            return TensorViews.squeeze(convolve(TensorViews.unsqueeze(input, 0), weight, bias, plan, clamp), 0);
        }
        if (input.dtype() != weight.dtype()) {
            throw new IllegalArgumentException("Input type (" + input.dtype().torchName() + ") and bias type ("
                    + weight.dtype().torchName() + ") should be the same");
        }
        if (input.dtype().isComplex()) {
            return complex(input, weight, bias, plan);
        }
        int[] sizes = plan.outputSizes(input, weight.sizes());
        if (bias != null && bias.numel() != plan.outputs(weight.sizes())) {
            throw new IllegalArgumentException("Given weight of size " + Arrays.toString(weight.sizes())
                    + ", expected bias to be 1-dimensional with " + plan.outputs(weight.sizes())
                    + " elements, but got bias of size "
                    + Arrays.toString(bias.sizes()) + " instead");
        }
        if (sizes[1] == 0) {
            return Tensors.empty(input.dtype(), sizes);
        }
        if (input.numel() == 0
                || weight.numel() == 0
                || input.rank() == 5
                || input.dtype() == DType.FLOAT64
                || !input.dtype().isFloating()) {
            double[] values = PlainConvolution.run(
                    plan,
                    Elements.doubles(input),
                    input.sizes(),
                    Elements.doubles(weight),
                    weight.sizes(),
                    bias == null ? null : Elements.doubles(bias),
                    sizes);
            return Elements.ofDoubles(input.dtype(), values, sizes);
        }
        boolean last = input.rank() == 4
                && (MemoryOrder.suggested(input) == MemoryFormat.CHANNELS_LAST
                        || MemoryOrder.suggested(weight) == MemoryFormat.CHANNELS_LAST);
        MemoryFormat format = last ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CONTIGUOUS;
        ImageLayout layout = last ? ImageLayout.NHWC : ImageLayout.NCHW;
        Tensor in = Elements.cast(input, DType.FLOAT32).contiguous(format);
        Tensor out = Tensors.empty(DType.FLOAT32, format, sizes);
        FloatConv conv = FloatConv.plan(
                plan.image(input.sizes(), weight.sizes(), sizes[1]),
                layout,
                layout,
                Elements.floats(weight),
                bias == null ? null : Elements.floats(bias),
                clamp);
        int inImage = (int) (in.numel() / sizes[0]);
        int outImage = (int) (out.numel() / sizes[0]);
        for (int n = 0; n < sizes[0]; n++) {
            conv.run(
                    in.storage().floatArray(),
                    in.offset() + n * inImage,
                    out.storage().floatArray(),
                    n * outImage,
                    KernelPool.shared());
        }
        return Elements.cast(out, input.dtype());
    }
}
