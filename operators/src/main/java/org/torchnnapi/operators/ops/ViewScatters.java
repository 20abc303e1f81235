package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Copies of tensors in which what a view of them shows is another tensor. */
public final class ViewScatters implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar keeping = all.with(OperatorTrait.KEEPS_SHAPE);
        Registrar r = keeping.with(OperatorTrait.LINEAR);
        r.op(
                "aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
                a -> replaced(a, t -> TensorViews.select(t, integer(a, 2), integer(a, 3))));
        r.op(
                "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, "
                        + "SymInt step=1) -> Tensor",
                a -> replaced(
                        a,
                        t -> TensorViews.slice(
                                t, integer(a, 2), integerOrNull(a, 3), integerOrNull(a, 4), integer(a, 5))));
        r.op(
                "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
                a -> replaced(a, t -> TensorShape.diagonal(t, int32(a, 2), integer(a, 3), integer(a, 4))));
        keeping.op(
                "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? "
                        + "storage_offset=None) -> Tensor",
                a -> replaced(a, t -> t.asStrided(ints(a, 2), ints(a, 3), a[4] == null ? t.offset() : int32(a, 4))));
    }

    private static Tensor replaced(Object[] a, UnaryOperator<Tensor> view) {
        Tensor out = TensorConversions.copy(tensor(a, 0), MemoryFormat.PRESERVE);
        Tensor place = view.apply(out);
        Tensor source = tensor(a, 1);
        if (!Arrays.equals(place.sizes(), source.sizes())) {
            throw new IllegalArgumentException("expected src to have a size equal to the slice of self. src size = "
                    + Arrays.toString(source.sizes()) + ", slice size = " + Arrays.toString(place.sizes()));
        }
        Tensors.copyInto(place, source);
        return out;
    }
}
