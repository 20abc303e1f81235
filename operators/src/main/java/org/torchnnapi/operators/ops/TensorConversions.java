package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.formatOr;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Conversion between element types and devices, copies, and single values. There is one device, the CPU. */
public final class TensorConversions implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
                        + "MemoryFormat? memory_format=None) -> Tensor(a)",
                a -> to(tensor(a, 0), dtypeOr(a, 1, null), flag(a, 3), formatOr(a, 4, null)),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, "
                        + "MemoryFormat? memory_format=None) -> Tensor(a)",
                a -> to(tensor(a, 0), dtypeOr(a, 1, null), flag(a, 6), formatOr(a, 7, null)),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, "
                        + "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
                a -> to(tensor(a, 0), dtypeOr(a, 2, null), flag(a, 4), formatOr(a, 5, null)),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
                        + "MemoryFormat? memory_format=None) -> Tensor(a)",
                a -> to(tensor(a, 0), tensor(a, 1).dtype(), flag(a, 3), formatOr(a, 4, null)),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool non_blocking=False, "
                        + "bool copy=False) -> Tensor(b|a)",
                a -> to(tensor(a, 0), dtypeOr(a, 2, null), flag(a, 4), null),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, "
                        + "bool copy=False) -> Tensor(b|a)",
                a -> to(tensor(a, 0), dtypeOr(a, 1, null), flag(a, 3), null),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
                a -> to(tensor(a, 0), null, flag(a, 2), null),
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::type_as(Tensor self, Tensor other) -> Tensor",
                a -> to(tensor(a, 0), tensor(a, 1).dtype(), false, null),
                OperatorTrait.LINEAR,
                OperatorTrait.SHARES,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor",
                a -> to(tensor(a, 0), DType.FLOAT32, false, null),
                OperatorTrait.SHARES,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor",
                a -> to(tensor(a, 0), DType.INT64, false, null),
                OperatorTrait.SHARES,
                OperatorTrait.SAME_PLACES);
        r.op("aten::cpu(Tensor(a) self) -> Tensor(b|a)", a -> tensor(a, 0), OperatorTrait.SAME_PLACES);
        r.op(
                "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
                a -> copy(tensor(a, 0), formatOr(a, 1, MemoryFormat.PRESERVE)),
                OperatorTrait.KEEPS_SHAPE,
                OperatorTrait.LINEAR,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
                a -> written(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.KEEPS_SHAPE);
        r.op(
                "aten::copy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                a -> written(tensor(a, 0), tensor(a, 1)));
        r.op(
                "aten::copy_.int(Tensor(a!) self, int other) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), Tensors.ofNumber(a[1])));
        r.op(
                "aten::copy_.float(Tensor(a!) self, float other) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), Tensors.ofNumber(a[1])));
        r.op("aten::item(Tensor self) -> Scalar", a -> Tensors.item(tensor(a, 0)), OperatorTrait.ITEM);
        r.op("aten::_local_scalar_dense(Tensor self) -> Scalar", a -> Tensors.item(tensor(a, 0)), OperatorTrait.ITEM);
        r.op(
                "aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)",
                a -> tensor(a, 0).requiresGrad(flag(a, 1)));
    }

    /**
     * Real numbers are quantized as the tensor is that they are written to. Quantized ones are written as they are, and
     * the tensor, but none that shares its memory, takes their scale and zero point.
     */
    private static Tensor written(Tensor target, Tensor source) {
        if (!target.dtype().isQuantized()) {
            if (source.dtype().isQuantized()) {
                throw new IllegalArgumentException("copy_: " + source.dtype().torchName() + " into "
                        + target.dtype().torchName() + " (expected: real numbers); dequantize what is copied");
            }
            return Tensors.copyInto(target, source);
        }
        boolean same = source.dtype() == target.dtype()
                && source.quantization().getClass() == target.quantization().getClass();
        if (!same && source.dtype() != DType.FLOAT32) {
            throw new IllegalArgumentException("copy_: " + source.dtype().torchName() + " into "
                    + target.dtype().torchName()
                    + " (expected: float32, or the same type with scales of the same scheme)");
        }
        if (!same && !Arrays.equals(source.sizes(), target.sizes())) {
            throw new IllegalArgumentException("copy_: real numbers of sizes " + Arrays.toString(source.sizes())
                    + " into a quantized tensor of " + Arrays.toString(target.sizes()) + " (expected: the same)");
        }
        Tensors.copyInto(target, source);
        return same ? TensorViews.become(target, target.withQuantization(source.quantization())) : target;
    }

    private static Tensor to(Tensor t, DType type, boolean copy, MemoryFormat format) {
        Tensor out = type == null ? t : Elements.cast(t, type);
        if (format != null && format != MemoryFormat.PRESERVE) {
            out = out.contiguous(format);
        }
        return copy && out == t ? copy(t, MemoryFormat.PRESERVE) : out;
    }

    /** A fresh tensor; {@code PRESERVE} keeps dense strides. */
    static Tensor copy(Tensor t, MemoryFormat format) {
        if (format != MemoryFormat.PRESERVE) {
            return t.copy(format);
        }
        int[] strides = MemoryOrder.isDense(t) ? t.strides() : Shape.contiguousStrides(t.sizes());
        Tensor out = Tensors.strided(t.dtype(), t.sizes(), strides, t.quantization());
        out.copyFrom(t);
        return out;
    }
}
