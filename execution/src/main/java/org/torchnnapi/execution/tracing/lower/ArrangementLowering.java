package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import java.util.Objects;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.program.op.ConstantGather;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Rolling, flipping, repeating and other choices of elements along dimensions that are known beforehand. */
final class ArrangementLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::roll", (lowered, node, a) -> roll(lowered, Args.tensor(a, 0), Args.ints(a, 1), Args.ints(a, 2)));
        r.add("aten::flip", (lowered, node, a) -> {
            Tensor t = Args.tensor(a, 0);
            int[][] sources = new int[t.rank()][];
            for (int dim : Args.ints(a, 1)) {
                int d = Shape.wrap(dim, t.rank());
                Support.require(sources[d] == null, "each dimension once");
                sources[d] = places(t.size(d), i -> t.size(d) - 1 - i);
            }
            return pick(lowered, t, sources, Support.like(t, t.dtype(), t.quantization()));
        });
        r.add("aten::repeat", (lowered, node, a) -> {
            Tensor t = widened(lowered, Args.tensor(a, 0), Args.ints(a, 1).length);
            int[][] sources = new int[t.rank()][];
            for (int d = 0; d < sources.length; d++) {
                int size = t.size(d);
                sources[d] = places(size * Args.ints(a, 1)[d], i -> i % size);
            }
            return pick(lowered, t, sources, dense(t, sources));
        });
        r.add("aten::index_select", (lowered, node, a) -> {
            Support.require(!lowered.varies(a[2]), "constant places");
            Tensor t = Args.tensor(a, 0);
            int[][] sources = new int[t.rank()][];
            sources[Args.dim(a, 1, t.rank())] = Shape.toInts(Elements.longs(Args.tensor(a, 2)));
            return pick(lowered, t, sources, dense(t, sources));
        });
        for (String name : new String[] {"expand", "expand_as"}) {
            r.add(
                    "aten::" + name,
                    (lowered, node, a) -> expand(lowered, Args.tensor(a, 0), (Tensor) lowered.kernel(a)));
        }
        // Of operators in place: the tensor with all its elements replaced.
        r.add("aten::copy", (lowered, node, a) -> filled(lowered, Args.tensor(a, 0), Args.tensor(a, 1)));
        r.add(
                "aten::fill",
                (lowered, node, a) -> filled(
                        lowered,
                        Args.tensor(a, 0),
                        Tensors.operand(a[1], Args.tensor(a, 0).dtype())));
        r.add(
                "aten::zero",
                (lowered, node, a) -> filled(
                        lowered,
                        Args.tensor(a, 0),
                        Tensors.operand(0L, Args.tensor(a, 0).dtype())));
    }

    private interface Place {
        int of(int target);
    }

    private static int[] places(int count, Place place) {
        int[] places = new int[count];
        Arrays.setAll(places, place::of);
        return places;
    }

    private static Tensor roll(Lowered lowered, Tensor t, int[] shifts, int[] dims) {
        Support.require(dims.length > 0 && shifts.length == dims.length, "a shift for each dimension");
        int[][] sources = new int[t.rank()][];
        for (int i = 0; i < dims.length; i++) {
            int d = Shape.wrap(dims[i], t.rank());
            int shift = shifts[i];
            int[] before = sources[d] == null ? places(t.size(d), k -> k) : sources[d];
            sources[d] = places(t.size(d), k -> before[(int) Math.floorMod((long) k - shift, (long) t.size(d))]);
        }
        return pick(lowered, t, sources, Support.inFormatOf(t, t.sizes()));
    }

    private static Tensor filled(Lowered lowered, Tensor t, Tensor source) {
        Support.require(
                t.dtype() == source.dtype()
                        && Objects.equals(t.quantization(), source.quantization())
                        && source.rank() <= t.rank(),
                "elements of the same type");
        Tensor made = Support.like(t, t.dtype(), t.quantization());
        return Arrays.equals(t.sizes(), source.sizes()) ? lowered.same(made, source) : expand(lowered, source, made);
    }

    /** @param expanded a tensor that stands for the result, of at least as many dimensions */
    static Tensor expand(Lowered lowered, Tensor t, Tensor expanded) {
        Tensor wide = widened(lowered, t, expanded.rank());
        int[][] sources = new int[wide.rank()][];
        for (int d = 0; d < sources.length; d++) {
            if (wide.size(d) != expanded.size(d)) {
                sources[d] = new int[expanded.size(d)];
            }
        }
        return pick(lowered, wide, sources, expanded);
    }

    /** With as many dimensions, those added in front. */
    private static Tensor widened(Lowered lowered, Tensor t, int rank) {
        if (t.rank() == rank) {
            return t;
        }
        int[] sizes = new int[rank];
        Arrays.fill(sizes, 1);
        System.arraycopy(t.sizes(), 0, sizes, rank - t.rank(), t.rank());
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(t.dtype(), t.quantization(), sizes), t);
    }

    static Tensor pick(Lowered lowered, Tensor t, int[][] sources, Tensor geometry) {
        return lowered.compute(new ConstantGather(sources), geometry, t);
    }

    static Tensor dense(Tensor t, int[][] sources) {
        int[] sizes = t.sizes().clone();
        for (int d = 0; d < sizes.length; d++) {
            sizes[d] = sources[d] == null ? sizes[d] : sources[d].length;
        }
        return Lowered.tensor(t.dtype(), t.quantization(), sizes);
    }
}
