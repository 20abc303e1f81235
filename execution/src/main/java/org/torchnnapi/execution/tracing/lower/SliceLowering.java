package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** Views of parts of a tensor along one dimension. */
final class SliceLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"slice", "narrow", "select"}) {
            r.add(
                    "aten::" + name,
                    (lowered, node, a) ->
                            part(lowered, a, (Tensor) lowered.kernel(a), (Tensor) lowered.kernel(probe(a)), dim(a, 1)));
        }
        for (String name :
                new String[] {"chunk", "split", "unsafe_split", "split_with_sizes", "unsafe_chunk", "tensor_split"}) {
            r.add("aten::" + name, (lowered, node, a) -> parts(lowered, a, dim(a, 2)));
        }
        r.add("aten::unbind", (lowered, node, a) -> parts(lowered, a, dim(a, 1)));
    }

    private static int dim(Object[] a, int i) {
        Support.require(a[0] instanceof Tensor t && t.rank() > 0 && a[i] instanceof Long, "a tensor and a dimension");
        return Args.dim(a, i, ((Tensor) a[0]).rank());
    }

    private static ScriptList parts(Lowered lowered, Object[] a, int dim) {
        ScriptList views = (ScriptList) lowered.kernel(a);
        ScriptList probes = (ScriptList) lowered.kernel(probe(a));
        ScriptList out = new ScriptList(views.elementType());
        for (int i = 0; i < views.size(); i++) {
            out.items().add(part(lowered, a, (Tensor) views.get(i), (Tensor) probes.get(i), dim));
        }
        return out;
    }

    /** The same call on a row-major tensor, whose views tell by their offset and stride what part they are. */
    private static Object[] probe(Object[] a) {
        Tensor t = (Tensor) a[0];
        Object[] probe = a.clone();
        probe[0] = Lowered.tensor(t.dtype(), t.quantization(), t.sizes());
        return probe;
    }

    private static Tensor part(Lowered lowered, Object[] a, Tensor view, Tensor probe, int dim) {
        Tensor t = (Tensor) a[0];
        if (view == t) {
            return t;
        }
        int stride = Shape.contiguousStrides(t.sizes())[dim];
        boolean selects = view.rank() < t.rank();
        int[] begin = new int[t.rank()];
        int[] size = t.sizes().clone();
        int[] step = new int[t.rank()];
        Arrays.fill(step, 1);
        begin[dim] = probe.offset() / stride;
        size[dim] = selects ? 1 : view.size(dim);
        step[dim] = selects || size[dim] == 1 ? 1 : probe.strides()[dim] / stride;
        SliceOp slice = new SliceOp(begin, size, step);
        if (!selects) {
            return lowered.compute(slice, view, t);
        }
        Tensor kept = lowered.compute(slice, Lowered.tensor(t.dtype(), t.quantization(), size), t);
        return lowered.compute(new ReshapeOp(view.sizes()), view, kept);
    }
}
