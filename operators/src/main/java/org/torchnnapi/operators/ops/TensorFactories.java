package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.formatOr;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** Tensors of a given size filled with one number. */
public final class TensorFactories implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 0), 0L, dtypeOr(a, 1, DType.FLOAT32)),
                OperatorTrait.FILLS);
        r.op(
                "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 0), 1L, dtypeOr(a, 1, DType.FLOAT32)),
                OperatorTrait.FILLS);
        r.op(
                "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 0), scalar(a, 1), dtypeOr(a, 2, Promotion.ofNumber(scalar(a, 1)))),
                OperatorTrait.FILLS);
        r.op(
                "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                a -> Tensors.empty(dtypeOr(a, 1, DType.FLOAT32), format(a, 5), ints(a, 0)),
                OperatorTrait.FILLS);
        r.op(
                "aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> Tensors.strided(dtypeOr(a, 2, DType.FLOAT32), ints(a, 0), ints(a, 1), null));
        r.op(
                "aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> filled(new int[0], scalar(a, 0), dtypeOr(a, 1, DType.FLOAT32)));

        r.op(
                "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                a -> fill(like(a, 1, 5), 0L),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                a -> fill(like(a, 1, 5), 1L),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                a -> fill(like(a, 2, 6), scalar(a, 1)),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.SAME_PLACES);
        r.op(
                "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
                a -> like(a, 1, 5));

        r.op(
                "aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 1), 0L, dtypeOr(a, 2, tensor(a, 0).dtype())),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.FILLS);
        r.op(
                "aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 1), 1L, dtypeOr(a, 2, tensor(a, 0).dtype())),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.FILLS);
        r.op(
                "aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 1), scalar(a, 2), dtypeOr(a, 3, tensor(a, 0).dtype())),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.FILLS);
        r.op(
                "aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> filled(ints(a, 1), 0L, dtypeOr(a, 2, tensor(a, 0).dtype())),
                OperatorTrait.FILLS);
        r.op(
                "aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> Tensors.strided(dtypeOr(a, 3, tensor(a, 0).dtype()), ints(a, 1), ints(a, 2), null));

        r.op("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", a -> fill(tensor(a, 0), scalar(a, 1)));
        r.op("aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)", a -> fill(tensor(a, 0), scalar(a, 1)));
        r.op("aten::zero_(Tensor(a!) self) -> Tensor(a!)", a -> fill(tensor(a, 0), 0L));

        r.op(
                "aten::eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> eye(integer(a, 0), integer(a, 0), dtypeOr(a, 1, DType.FLOAT32)));
        r.op(
                "aten::eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> eye(integer(a, 0), integer(a, 1), dtypeOr(a, 2, DType.FLOAT32)));
    }

    private static MemoryFormat format(Object[] a, int i) {
        MemoryFormat format = formatOr(a, i, MemoryFormat.CONTIGUOUS);
        return format == MemoryFormat.PRESERVE ? MemoryFormat.CONTIGUOUS : format;
    }

    /** A row-major tensor of one number. */
    static Tensor filled(int[] sizes, Object number, DType type) {
        return fill(Tensors.empty(type, sizes), number);
    }

    /**
     * Zeros with the sizes, type, quantization and order of dimensions of a tensor, unless the arguments say otherwise.
     */
    private static Tensor like(Object[] a, int typeAt, int formatAt) {
        Tensor t = tensor(a, 0);
        DType type = dtypeOr(a, typeAt, t.dtype());
        MemoryFormat format = formatOr(a, formatAt, MemoryFormat.PRESERVE);
        int[] strides = format != MemoryFormat.PRESERVE
                ? Shape.strides(format, t.sizes())
                : MemoryOrder.resultStrides(t.sizes(), t);
        return Tensors.strided(type, t.sizes(), strides, type == t.dtype() ? t.quantization() : null);
    }

    /** Writes one number to all elements, real zero also to quantized ones. */
    static Tensor fill(Tensor t, Object number) {
        Object fitting = number instanceof Complex && !t.dtype().isComplex() ? ((Complex) number).real() : number;
        return Tensors.copyInto(t, Tensors.ofNumber(fitting));
    }

    private static Tensor eye(long rows, long columns, DType type) {
        Tensor out = Tensors.empty(type, Shape.toInts(rows, columns));
        int ones = (int) Math.min(rows, columns);
        fill(out.asStrided(new int[] {ones}, new int[] {(int) columns + 1}, 0), 1L);
        return out;
    }
}
