package org.torchnnapi.torchscript.specialise.lower;

import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.program.op.ArgExtreme;
import org.torchnnapi.program.op.Reduce;
import org.torchnnapi.program.op.Reshape;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;

/** The greatest and the least float32 elements along a dimension, and where they are. */
final class PlacesLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::argmax", (lowered, node, a) -> argument(lowered, a, true));
        r.add("aten::argmin", (lowered, node, a) -> argument(lowered, a, false));
    }

    private static Tensor argument(Lowered lowered, Object[] a, boolean largest) {
        Support.require(a[1] != null, "a dimension");
        Tensor t = Support.floats(a, 0);
        return places(lowered, t, Args.dim(a, 1, t.rank()), Args.flag(a, 2), largest);
    }

    /** Values and places, as the operators with a dimension give them. */
    static Object[] both(Lowered lowered, Object[] a, boolean largest) {
        Tensor t = Support.floats(a, 0);
        int dim = Args.dim(a, 1, t.rank());
        boolean keep = Args.flag(a, 2);
        Tensor values = lowered.compute(new Reduce(largest ? Reduction.MAX : Reduction.MIN, new int[] {dim}, keep),
            Lowered.tensor(DType.FLOAT32, null, without(t, dim, keep)), t);
        return new Object[] {values, places(lowered, t, dim, keep, largest)};
    }

    private static Tensor places(Lowered lowered, Tensor t, int dim, boolean keep, boolean largest) {
        Tensor places = lowered.compute(new ArgExtreme(largest, dim), Lowered.tensor(DType.INT64, null, without(t, dim, false)), t);
        int[] kept = without(t, dim, true);
        return keep ? lowered.compute(new Reshape(kept), Lowered.tensor(DType.INT64, null, kept), places) : places;
    }

    private static int[] without(Tensor t, int dim, boolean keep) {
        int[] sizes = new int[keep ? t.rank() : t.rank() - 1];
        for (int d = 0; d < t.rank(); d++) {
            if (d != dim) {
                sizes[!keep && d > dim ? d - 1 : d] = t.size(d);
            } else if (keep) {
                sizes[d] = 1;
            }
        }
        return sizes;
    }
}
