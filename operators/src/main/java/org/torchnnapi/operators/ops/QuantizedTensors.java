package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtype;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Quantizing, dequantizing, and the parameters of quantized tensors. */
public final class QuantizedTensors implements OperatorFamily {
    /** PyTorch's numbers of quantization schemes (c10/core/QScheme.h). */
    private static final long PER_TENSOR_AFFINE = 0;

    private static final long PER_CHANNEL_AFFINE = 1;
    private static final long PER_CHANNEL_AFFINE_FLOAT_QPARAMS = 4;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor",
                a -> perTensor(tensor(a, 0), real(a, 1), int32(a, 2), dtype(a, 3)));
        r.op(
                "aten::quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType "
                        + "dtype) -> Tensor",
                a -> perTensor(tensor(a, 0), real(a, 1), (int) tensor(a, 2).getLong(0), dtype(a, 3)));
        r.op(
                "aten::quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType "
                        + "dtype) -> Tensor[]",
                a -> {
                    List<Tensor> out = new ArrayList<>();
                    for (Tensor t : tensors(a, 0)) {
                        out.add(perTensor(
                                t,
                                tensor(a, 1).getDouble(out.size()),
                                (int) tensor(a, 2).getLong(out.size()),
                                dtype(a, 3)));
                    }
                    return Args.list(out);
                });
        r.op(
                "aten::quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType "
                        + "dtype) -> Tensor",
                a -> QuantizedMath.quantize(
                        tensor(a, 0),
                        perChannel(
                                tensor(a, 1),
                                tensor(a, 2),
                                Args.dim(a, 3, tensor(a, 0).rank())),
                        dtype(a, 4)));
        // QNNPACK needs no spare bit, so it ignores reduce_range, as in the dynamic linears.
        r.op(
                "aten::quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor",
                a -> QuantizedMath.quantize(tensor(a, 0), chosen(tensor(a, 0), dtype(a, 1)), dtype(a, 1)));
        r.op("aten::_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)", a -> {
            Quantization.PerTensor q = chosen(tensor(a, 0), DType.QUINT8);
            return new Object[] {q.scale(), (long) q.zeroPoint()};
        });
        r.op(
                "aten::dequantize.self(Tensor self) -> Tensor",
                a -> QuantizedMath.dequantize(tensor(a, 0)),
                OperatorTrait.SHARES);
        r.op(
                "aten::dequantize.tensors(Tensor[] tensors) -> Tensor[]",
                a -> Args.list(
                        tensors(a, 0).stream().map(QuantizedMath::dequantize).collect(Streams.toList())),
                OperatorTrait.SHARES);
        r.op(
                "aten::dequantize.tensor(Tensor qtensor) -> Tensor",
                a -> QuantizedMath.dequantize(tensor(a, 0)),
                OperatorTrait.SHARES);
        r.op(
                "aten::dequantize.list(Tensor[] qtensors) -> Tensor[]",
                a -> Args.list(
                        tensors(a, 0).stream().map(QuantizedMath::dequantize).collect(Streams.toList())));
        r.op("aten::int_repr(Tensor self) -> Tensor", a -> QuantizedMath.integers(tensor(a, 0)));
        r.op(
                "aten::q_scale(Tensor self) -> float",
                a -> QuantizedMath.perTensor(tensor(a, 0)).scale());
        r.op("aten::q_zero_point(Tensor self) -> int", a ->
                (long) QuantizedMath.perTensor(tensor(a, 0)).zeroPoint());
        r.op(
                "aten::q_per_channel_scales(Tensor self) -> Tensor",
                a -> Tensor.of(
                        DType.FLOAT64,
                        channels(tensor(a, 0)).scales().clone(),
                        channels(tensor(a, 0)).scales().length));
        r.op("aten::q_per_channel_zero_points(Tensor self) -> Tensor", a -> zeroPoints(channels(tensor(a, 0))));
        r.op("aten::q_per_channel_axis(Tensor self) -> int", a ->
                (long) channels(tensor(a, 0)).axis());
        r.op("aten::qscheme(Tensor self) -> QScheme", a -> scheme(tensor(a, 0)));
        r.op(
                "aten::_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor",
                a -> made(tensor(a, 0), new Quantization.PerTensor(real(a, 1), int32(a, 2))));
        r.op(
                "aten::_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> "
                        + "Tensor",
                a -> made(
                        tensor(a, 0),
                        perChannel(
                                tensor(a, 1),
                                tensor(a, 2),
                                Args.dim(a, 3, tensor(a, 0).rank()))));
        r.op(
                "aten::_empty_affine_quantized(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                        + "device=None, "
                        + "bool? pin_memory=None, float scale=1, int zero_point=0, MemoryFormat? "
                        + "memory_format=contiguous_format) -> Tensor",
                a -> Tensors.empty(
                                Args.dtypeOr(a, 1, DType.QUINT8),
                                Args.formatOr(a, 7, MemoryFormat.CONTIGUOUS),
                                Args.ints(a, 0))
                        .withQuantization(new Quantization.PerTensor(real(a, 5), int32(a, 6))));
        r.composite(
                "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int "
                        + "quant_max) -> Tensor",
                a -> fake(tensor(a, 0), real(a, 1), Args.integer(a, 2), Args.integer(a, 3), Args.integer(a, 4)),
                """
            steps = torch.add(torch.round(torch.mul(self, torch.reciprocal(torch.scalar_tensor(scale)))), zero_point)
            return torch.mul(torch.sub(torch.clamp(steps, quant_min, quant_max), zero_point), scale)""");
        r.composite(
                "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, "
                        + "int quant_min, int quant_max) -> Tensor",
                "return torch.fake_quantize_per_tensor_affine(self, float(scale), int(zero_point), quant_min, "
                        + "quant_max)");
        r.composite(
                "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int "
                        + "quant_min, int quant_max) -> Tensor",
                """
            own = torch.remainder(torch.add(axis, torch.dim(self)), torch.dim(self))
            shape = torch.add(torch.add(torch.mul([1], own), [-1]), torch.mul([1], \
            torch.sub(torch.sub(torch.dim(self), own), 1)))
            scales = torch.reshape(scale, shape)
            zeros = torch.to(torch.reshape(zero_point, shape), ops.prim.dtype(self))
            steps = torch.add(torch.round(torch.mul(self, torch.reciprocal(scales))), zeros)
            return torch.mul(torch.sub(torch.clamp(steps, quant_min, quant_max), zeros), scales)""");
        for (int d = 1; d <= 3; d++) {
            r.composite(
                    "aten::quantized_max_pool" + d + "d(Tensor self, int[" + d + "] kernel_size, int[" + d
                            + "] stride=[], int[" + d + "] padding=0, int[" + d
                            + "] dilation=1, bool ceil_mode=False) -> Tensor",
                    "return torch.max_pool" + d + "d(self, kernel_size, stride, padding, dilation, ceil_mode)");
        }
    }

    private static Quantization.PerTensor chosen(Tensor t, DType type) {
        return DynamicRange.choose(t, QuantizedMath.least(type), QuantizedMath.greatest(type));
    }

    private static Tensor perTensor(Tensor t, double scale, int zeroPoint, DType type) {
        return QuantizedMath.quantize(t, new Quantization.PerTensor(scale, zeroPoint), type);
    }

    private static Quantization.PerChannel perChannel(Tensor scales, Tensor zeroPoints, int axis) {
        return new Quantization.PerChannel(
                Elements.doubles(scales).clone(),
                Elements.doubles(zeroPoints).clone(),
                axis,
                zeroPoints.dtype().isFloating());
    }

    private static Quantization.PerChannel channels(Tensor t) {
        if (t.quantization() instanceof Quantization.PerChannel q) {
            return q;
        }
        throw new IllegalArgumentException("tensor: " + t + " (expected: quantized per channel)");
    }

    private static Tensor zeroPoints(Quantization.PerChannel q) {
        double[] points = q.zeroPoints();
        return q.floatQParams()
                ? Elements.ofDoubles(DType.FLOAT32, points.clone(), points.length)
                : Elements.ofLongs(
                        DType.INT64,
                        Arrays.stream(points).mapToLong(p -> (long) p).toArray(),
                        points.length);
    }

    private static Object scheme(Tensor t) {
        if (t.quantization() instanceof Quantization.PerTensor) {
            return PER_TENSOR_AFFINE;
        }
        return channels(t).floatQParams() ? PER_CHANNEL_AFFINE_FLOAT_QPARAMS : PER_CHANNEL_AFFINE;
    }

    private static Tensor made(Tensor integers, Quantization quantization) {
        DType type = switch (integers.dtype()) {
            case UINT8 -> DType.QUINT8;
            case INT8 -> DType.QINT8;
            case INT32 -> DType.QINT32;
            default ->
                throw new IllegalArgumentException("integers: " + integers + " (expected: uint8, int8 or int32)");
        };
        return QuantizedMath.retyped(integers.contiguous(), type, quantization);
    }

    private static Tensor fake(Tensor t, double scale, long zeroPoint, long least, long greatest) {
        float inverse = 1f / (float) scale;
        return Pointwise.unary(t, x -> {
            double q = Math.rint((float) x * inverse) + zeroPoint;
            return (float) ((Math.max(least, Math.min(greatest, q)) - zeroPoint) * (float) scale);
        });
    }
}
