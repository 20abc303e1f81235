package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.ArgExtremeOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TakeAlongOp;
import org.torchnnapi.program.op.TopPlacesOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * The greatest and the least float32 elements along a dimension, and where they are; elements at given places along a
 * dimension.
 */
final class PlacesLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::argmax", (lowered, node, a) -> argument(lowered, a, true));
        r.add("aten::argmin", (lowered, node, a) -> argument(lowered, a, false));
        r.add("aten::topk", (lowered, node, a) -> {
            Tensor t = Support.floats(a, 0);
            Support.require(
                    t.rank() > 0 && Args.dim(a, 2, t.rank()) == t.rank() - 1 && Args.flag(a, 3),
                    "the greatest of the last dimension");
            int[] sizes = t.sizes().clone();
            sizes[sizes.length - 1] = Args.int32(a, 1);
            Tensor places = lowered.compute(
                    new TopPlacesOp(sizes[sizes.length - 1]), Lowered.tensor(DType.INT64, null, sizes), t);
            return new Object[] {
                lowered.compute(new TakeAlongOp(), Lowered.tensor(t.dtype(), null, sizes), t, places), places
            };
        });
        r.add("aten::gather", (lowered, node, a) -> {
            Tensor t = Args.tensor(a, 0);
            Tensor places = Args.tensor(a, 2);
            Support.require(
                    t.rank() > 0 && places.rank() == t.rank() && places.dtype() == DType.INT64,
                    "a place for each element");
            int dim = Args.dim(a, 1, t.rank());
            Tensor taken = taken(lowered, turned(lowered, t, dim), turned(lowered, places, dim));
            return turned(lowered, taken, dim);
        });
    }

    private static Tensor taken(Lowered lowered, Tensor rows, Tensor places) {
        return lowered.compute(
                new TakeAlongOp(), Lowered.tensor(rows.dtype(), rows.quantization(), places.sizes()), rows, places);
    }

    /** With a dimension and the last one exchanged. */
    private static Tensor turned(Lowered lowered, Tensor t, int dim) {
        int last = t.rank() - 1;
        if (dim == last) {
            return t;
        }
        int[] order = new int[t.rank()];
        Arrays.setAll(order, d -> d == dim ? last : d == last ? dim : d);
        int[] sizes = new int[order.length];
        Arrays.setAll(sizes, d -> t.size(order[d]));
        return lowered.compute(new TransposeOp(order), Lowered.tensor(t.dtype(), t.quantization(), sizes), t);
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
        Tensor values = lowered.compute(
                new ReduceOp(largest ? ReductionKernel.MAX : ReductionKernel.MIN, new int[] {dim}, keep),
                Lowered.tensor(DType.FLOAT32, null, without(t, dim, keep)),
                t);
        return new Object[] {values, places(lowered, t, dim, keep, largest)};
    }

    private static Tensor places(Lowered lowered, Tensor t, int dim, boolean keep, boolean largest) {
        Tensor places = lowered.compute(
                new ArgExtremeOp(largest, dim), Lowered.tensor(DType.INT64, null, without(t, dim, false)), t);
        int[] kept = without(t, dim, true);
        return keep ? lowered.compute(new ReshapeOp(kept), Lowered.tensor(DType.INT64, null, kept), places) : places;
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
