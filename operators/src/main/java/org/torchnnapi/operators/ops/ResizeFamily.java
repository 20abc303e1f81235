package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Tensors that become other ones: of another size, or of another's memory. Elements that were there stay, in the order
 * of memory; new ones are 0.
 */
public final class ResizeFamily implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
                a -> resize(tensor(a, 0), ints(a, 1)));
        r.op(
                "aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> "
                        + "Tensor(a!)",
                a -> resize(tensor(a, 0), tensor(a, 1).sizes()));
        r.op(
                "aten::_resize_output_(Tensor(a!) self, int[] size, Device device) -> Tensor(a!)",
                a -> resize(tensor(a, 0), ints(a, 1)));
        r.op("aten::set_(Tensor(a!) self) -> Tensor(a!)", a -> resize(tensor(a, 0), new int[] {0}));
        r.op(
                "aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)",
                a -> become(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.SHARES);
        r.op(
                "aten::set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, "
                        + "SymInt[] size, SymInt[] stride=[]) "
                        + "-> Tensor(a!)",
                a -> {
                    int[] size = ints(a, 3);
                    int[] stride = ints(a, 4);
                    return become(
                            tensor(a, 0),
                            tensor(a, 1)
                                    .asStrided(
                                            size,
                                            stride.length == 0 ? Shape.contiguousStrides(size) : stride,
                                            int32(a, 2)));
                },
                OperatorTrait.SHARES);
        r.op("aten::set_data(Tensor(a!) self, Tensor new_data) -> ()", a -> {
            become(tensor(a, 0), tensor(a, 1));
            return null;
        });
        r.op("aten::is_set_to(Tensor self, Tensor tensor) -> bool", a -> {
            Tensor x = tensor(a, 0);
            Tensor y = tensor(a, 1);
            return x.storage() == y.storage()
                    && x.offset() == y.offset()
                    && Arrays.equals(x.sizes(), y.sizes())
                    && Arrays.equals(x.strides(), y.strides());
        });
    }

    private static Tensor become(Tensor target, Tensor source) {
        if (target.dtype() != source.dtype()) {
            throw new IllegalArgumentException("set_: " + source.dtype().torchName() + " (expected: "
                    + target.dtype().torchName() + ", the tensor's own)");
        }
        target.become(source);
        return target;
    }

    private static Tensor resize(Tensor t, int[] sizes) {
        if (Arrays.equals(t.sizes(), sizes)) {
            return t;
        }
        for (int size : sizes) {
            if (size < 0) {
                throw new IllegalArgumentException(
                        "Trying to create tensor with negative dimension " + size + ": " + Arrays.toString(sizes));
            }
        }
        long needed = Shape.numel(sizes);
        if (t.offset() + needed <= t.storage().length()) {
            t.become(t.asStrided(sizes, Shape.contiguousStrides(sizes), t.offset()));
            return t;
        }
        Tensor grown = Tensors.empty(t.dtype(), sizes);
        Tensor old = new Tensor(
                t.storage(),
                t.offset(),
                new int[] {t.storage().length() - t.offset()},
                new int[] {1},
                t.quantization());
        Tensor start = grown.asStrided(old.sizes(), new int[] {1}, 0);
        Tensors.copyInto(start, Elements.cast(old, t.dtype()));
        t.become(t.quantization() == null ? grown : grown.withQuantization(t.quantization()));
        return t;
    }
}
