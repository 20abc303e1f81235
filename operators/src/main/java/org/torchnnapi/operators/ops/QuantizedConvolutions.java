package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.PackedClass;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Convolutions of quantized tensors, and the packing of their weights. */
public final class QuantizedConvolutions implements OperatorFamily {
    private static final String PACKED_2D = " -> " + ConvolutionParams.CLASS_2D.qualifiedName();
    private static final String PACKED_3D = " -> " + ConvolutionParams.CLASS_3D.qualifiedName();

    @Override
    public void register(Registrar r) {
        for (int spatial = 1; spatial <= 3; spatial++) {
            registerPacking(r, spatial);
            registerRuns(r.with(OperatorTrait.SPATIAL), spatial);
            registerUnpacking(r, spatial);
        }
        questions(r, "conv2d", ConvolutionParams.CLASS_2D);
        questions(r, "conv_transpose2d", ConvolutionParams.CLASS_2D);
        questions(r, "conv3d", ConvolutionParams.CLASS_3D);
        questions(r, "conv_transpose3d", ConvolutionParams.CLASS_3D);
    }

    /** What packed weights were packed with. */
    private static void questions(Registrar r, String name, PackedClass<ConvolutionParams> type) {
        String packed = "(" + type.qualifiedName() + " packed_weights)";
        r.op(
                "quantized::" + name + "_stride" + packed + " -> int[]",
                a -> list(type.unwrap(a, 0).stride()));
        r.op(
                "quantized::" + name + "_padding" + packed + " -> int[]",
                a -> list(type.unwrap(a, 0).padding()));
        r.op(
                "quantized::" + name + "_dilation" + packed + " -> int[]",
                a -> list(type.unwrap(a, 0).dilation()));
        r.op(
                "quantized::" + name + "_output_padding" + packed + " -> int[]",
                a -> list(type.unwrap(a, 0).outputPadding()));
        r.op("quantized::" + name + "_groups" + packed + " -> int", a ->
                (long) type.unwrap(a, 0).groups());
        r.op(
                "quantized::" + name + "_transpose" + packed + " -> int",
                a -> type.unwrap(a, 0).transposed() ? 1L : 0L);
    }

    private static void registerPacking(Registrar r, int spatial) {
        String result = spatial == 3 ? PACKED_3D : PACKED_2D;
        r.op(
                "quantized::conv" + spatial
                        + "d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int "
                        + "groups)"
                        + result,
                a -> pack(
                        spatial,
                        tensor(a, 0),
                        tensorOrNull(a, 1),
                        ints(a, 2, spatial),
                        ints(a, 3, spatial),
                        new int[spatial],
                        ints(a, 4, spatial),
                        int32(a, 5),
                        false));
        r.op(
                "quantized::conv_transpose" + spatial
                        + "d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, "
                        + "int[] dilation, int groups)" + result,
                a -> pack(
                        spatial,
                        tensor(a, 0),
                        tensorOrNull(a, 1),
                        ints(a, 2, spatial),
                        ints(a, 3, spatial),
                        ints(a, 4, spatial),
                        ints(a, 5, spatial),
                        int32(a, 6),
                        true));
        if (spatial == 2) {
            r.op(
                    "quantized::conv_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] "
                            + "dilation, int groups)"
                            + result,
                    a -> pack(
                            2,
                            tensor(a, 0),
                            tensorOrNull(a, 1),
                            ints(a, 2, 2),
                            ints(a, 3, 2),
                            new int[2],
                            ints(a, 4, 2),
                            int32(a, 5),
                            false));
        }
    }

    private static void registerUnpacking(Registrar r, int spatial) {
        PackedClass<ConvolutionParams> type = spatial == 3 ? ConvolutionParams.CLASS_3D : ConvolutionParams.CLASS_2D;
        String arguments =
                "(" + type.qualifiedName() + " packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)";
        r.op("quantized::conv" + spatial + "d_unpack" + arguments, a -> unpack(spatial, type.unwrap(a, 0)));
        if (spatial == 2) {
            r.op("quantized::conv_unpack" + arguments, a -> unpack(2, type.unwrap(a, 0)));
        }
        r.op("quantized::conv_transpose" + spatial + "d_unpack" + arguments, a -> unpack(spatial, type.unwrap(a, 0)));
    }

    private static Object pack(
            int spatial,
            Tensor weight,
            Tensor bias,
            int[] stride,
            int[] padding,
            int[] outputPadding,
            int[] dilation,
            int groups,
            boolean transposed) {
        if (weight.rank() != spatial + 2) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: " + (spatial + 2) + " dimensions)");
        }
        if (spatial == 1) {
            return ConvolutionParams.CLASS_2D.wrap(new ConvolutionParams(
                    TensorViews.unsqueeze(weight, 2),
                    bias,
                    flat(stride, 1),
                    flat(padding, 0),
                    flat(dilation, 1),
                    flat(outputPadding, 0),
                    groups,
                    transposed));
        }
        ConvolutionParams params =
                new ConvolutionParams(weight, bias, stride, padding, dilation, outputPadding, groups, transposed);
        return spatial == 3 ? ConvolutionParams.CLASS_3D.wrap(params) : ConvolutionParams.CLASS_2D.wrap(params);
    }

    /** A number for a height of 1 before the one for the width. */
    private static int[] flat(int[] width, int height) {
        return new int[] {height, width[0]};
    }

    private static void registerRuns(Registrar r, int spatial) {
        String packed =
                spatial == 3 ? ConvolutionParams.CLASS_3D.qualifiedName() : ConvolutionParams.CLASS_2D.qualifiedName();
        String arguments =
                "(Tensor qx, " + packed + " packed_weight, float output_scale, int output_zero_point) -> Tensor";
        String overload = spatial == 1 ? "" : ".new";
        r.op("quantized::conv" + spatial + "d" + overload + arguments, a -> run(spatial, a, false));
        r.op("quantized::conv" + spatial + "d_relu" + overload + arguments, a -> run(spatial, a, true));
        r.op("quantized::conv_transpose" + spatial + "d" + arguments, a -> run(spatial, a, false));
        String dynamic = "d_dynamic(Tensor qx, " + packed + " packed_weight, bool reduce_range=False) -> Tensor";
        r.op("quantized::conv" + spatial + dynamic, a -> dynamic(spatial, a));
        r.op("quantized::conv_transpose" + spatial + dynamic, a -> dynamic(spatial, a));
        if (spatial > 1) {
            String old = "(Tensor qx, " + packed
                    + " weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, "
                    + "int output_zero_point) -> Tensor";
            r.op(
                    "quantized::conv" + spatial + "d" + old,
                    a -> run(spatial, new Object[] {a[0], a[1], a[6], a[7]}, false));
            r.op(
                    "quantized::conv" + spatial + "d_relu" + old,
                    a -> run(spatial, new Object[] {a[0], a[1], a[6], a[7]}, true));
        }
    }

    /**
     * Real numbers, quantized by their own range, and the result in steps of the same: PyTorch takes no other range for
     * it. QNNPACK needs no spare bit, so it ignores {@code reduce_range}.
     */
    private static Tensor dynamic(int spatial, Object[] a) {
        Tensor x = tensor(a, 0);
        if (x.dtype() != DType.FLOAT32) {
            throw new IllegalArgumentException("input: " + x + " (expected: float32)");
        }
        Quantization.PerTensor q =
                DynamicRange.choose(x, QuantizedMath.least(DType.QUINT8), QuantizedMath.greatest(DType.QUINT8));
        return QuantizedMath.dequantize(run(
                spatial,
                new Object[] {QuantizedMath.quantize(x, q, DType.QUINT8), a[1], q.scale(), (long) q.zeroPoint()},
                false));
    }

    private static Tensor run(int spatial, Object[] a, boolean relu) {
        Tensor x = tensor(a, 0);
        if (spatial == 3) {
            return volume(x, ConvolutionParams.CLASS_3D.unwrap(a, 1), real(a, 2), int32(a, 3), relu);
        }
        ConvolutionParams params = ConvolutionParams.CLASS_2D.unwrap(a, 1);
        if (spatial == 1) {
            Tensor y = QuantizedProducts.convolve(TensorViews.unsqueeze(x, -2), params, real(a, 2), int32(a, 3), relu);
            return TensorViews.squeeze(y, -2).contiguous();
        }
        return QuantizedProducts.convolve(x, params, real(a, 2), int32(a, 3), relu);
    }

    /** In real numbers, as convolutions of volumes are rare: exact integers in double, then the same rounding. */
    private static Tensor volume(Tensor x, ConvolutionParams params, double scale, int zeroPoint, boolean relu) {
        Quantization.PerTensor in = QuantizedMath.perTensor(x);
        ProductScales scales = ProductScales.of(params.weight(), x.dtype(), in.scale(), scale);
        Tensor centred = centred(x, new int[] {in.zeroPoint()});
        Tensor weight = centred(params.weight(), scales.zeroPoints());
        Tensor sums = ConvolutionFamily.general(new Object[] {
            centred,
            weight,
            null,
            list(params.stride()),
            list(params.padding()),
            list(params.dilation()),
            params.transposed(),
            list(params.outputPadding()),
            (long) params.groups()
        });
        int channels = params.outputChannels();
        int[] bias = scales.bias(params.bias(), channels);
        var requantization = scales.requantization(zeroPoint, x.dtype(), relu);
        double[] values = sums.contiguous().storage().doubleArray();
        int perChannel = (int) (sums.numel() / Math.max(1, (long) sums.size(0) * channels));
        byte[] out = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            int c = i / perChannel % channels;
            out[i] = (byte) requantization.apply((int) values[i] + (bias == null ? 0 : bias[c]), c);
        }
        return Tensor.of(x.dtype(), out, sums.sizes()).withQuantization(new Quantization.PerTensor(scale, zeroPoint));
    }

    private static Tensor centred(Tensor t, int[] zeroPoints) {
        int[] integers = QuantizedMath.ints(t);
        int perChannel = zeroPoints.length == 1 ? integers.length : integers.length / zeroPoints.length;
        double[] values = new double[integers.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = integers[i] - zeroPoints[i / Math.max(perChannel, 1)];
        }
        return Tensor.of(DType.FLOAT64, values, t.sizes());
    }

    private static Object unpack(int spatial, ConvolutionParams params) {
        Tensor weight = params.weight();
        return new Object[] {spatial == 1 ? TensorViews.squeeze(weight, 2) : weight, params.bias()};
    }

    private static ScriptList list(int[] values) {
        return new ScriptList(
                Type.Basic.INT, Arrays.stream(Shape.toLongs(values)).boxed().collect(Streams.toList()));
    }
}
