package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/** What a tensor is: sizes, strides, kind of elements. */
public final class TensorInfo implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::size(Tensor self) -> int[]",
                a -> ScriptList.ofInts(Shape.toLongs(tensor(a, 0).sizes())),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.READS_SIZES);
        r.op(
                "aten::size.int(Tensor self, int dim) -> int",
                a -> (long) tensor(a, 0).size(integer(a, 1)),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.READS_SIZES);
        r.op(
                "aten::stride(Tensor self) -> int[]",
                a -> ScriptList.ofInts(Shape.toLongs(tensor(a, 0).strides())));
        r.op("aten::stride.int(Tensor self, int dim) -> int", a -> {
            Tensor t = tensor(a, 0);
            return (long) t.strides()[Shape.wrap(integer(a, 1), t.rank())];
        });
        r.op(
                "aten::storage_offset(Tensor self) -> int",
                a -> (long) tensor(a, 0).offset(),
                OperatorTrait.READS_MEMORY);
        r.op(
                "aten::dim(Tensor self) -> int",
                a -> (long) tensor(a, 0).rank(),
                OperatorTrait.READS_KIND,
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.READS_SIZES);
        r.op(
                "aten::numel(Tensor self) -> int",
                a -> tensor(a, 0).numel(),
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.READS_SIZES);
        r.op(
                "aten::len.Tensor(Tensor t) -> int",
                a -> {
                    if (tensor(a, 0).rank() == 0) {
                        throw new IllegalArgumentException("len() of a 0-d tensor");
                    }
                    return (long) tensor(a, 0).sizes()[0];
                },
                OperatorTrait.READS_GEOMETRY,
                OperatorTrait.READS_SIZES);
        r.op(
                "aten::element_size(Tensor self) -> int",
                a -> (long) tensor(a, 0).dtype().bytes(),
                OperatorTrait.READS_KIND,
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "aten::is_floating_point(Tensor self) -> bool",
                a -> tensor(a, 0).dtype().isFloating(),
                OperatorTrait.READS_KIND,
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "aten::is_signed(Tensor self) -> bool",
                a -> tensor(a, 0).dtype() != DType.UINT8 && tensor(a, 0).dtype() != DType.BOOL);
        r.op("aten::is_contiguous(Tensor self) -> bool", a -> tensor(a, 0).isContiguous());
        r.op(
                "aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool",
                a -> tensor(a, 0).isContiguous(MemoryFormat.ofCode(integer(a, 1))));
        r.op("aten::is_nonzero(Tensor self) -> bool", a -> {
            if (tensor(a, 0).numel() != 1) {
                throw new IllegalArgumentException("Boolean value of Tensor with more than one value is ambiguous");
            }
            return tensor(a, 0).getDouble(0) != 0;
        });
        r.op(
                "aten::is_same_size(Tensor self, Tensor other) -> bool",
                a -> Arrays.equals(tensor(a, 0).sizes(), tensor(a, 1).sizes()));
        r.op("aten::is_neg(Tensor self) -> bool", a -> false);
        r.op("aten::is_conj(Tensor self) -> bool", a -> false);
    }
}
