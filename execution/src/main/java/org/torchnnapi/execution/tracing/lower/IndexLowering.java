package org.torchnnapi.execution.tracing.lower;

import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.operators.ops.IndexPlaces;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.GatherOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.Tensor;

/** Tensors indexed by tensors that never vary, or along one dimension by whole numbers that do. */
final class IndexLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::index", (lowered, node, a) -> {
            Tensor t = Args.tensor(a, 0);
            List<Tensor> indices = Args.tensors(a, 1);
            if (indices.stream().noneMatch(lowered::varies)) {
                return taken(lowered, t, IndexPlaces.of(t.sizes(), indices));
            }
            int[] given = IntStream.range(0, indices.size())
                    .filter(d -> indices.get(d) != null)
                    .toArray();
            Support.require(
                    given.length == 1
                            && PromotedNumbers.isWhole(indices.get(given[0]).dtype()),
                    "one index that varies, of whole numbers");
            return gathered(lowered, t, given[0], indices.get(given[0]));
        });
    }

    /** Of varying numbers the program takes those from 0; what counts from the back is left to the operator. */
    private static Tensor gathered(Lowered lowered, Tensor t, int dim, Tensor index) {
        int[] sizes = joined(t.sizes(), dim, 1, index.sizes());
        return lowered.compute(new GatherOp(dim), Lowered.tensor(t.dtype(), t.quantization(), sizes), t, index);
    }

    private static Tensor taken(Lowered lowered, Tensor t, IndexPlaces places) {
        int count = places.dims().length;
        Support.require(count > 0 && places.positions().length > 0, "an index");
        int front = places.front();
        Tensor x = places.dims()[0] == front && places.dims()[count - 1] == front + count - 1
                ? t
                : inFront(lowered, t, places.dims());
        int merged = 1;
        for (int d = 0; d < count; d++) {
            merged *= x.size(front + d);
        }
        x = reshaped(lowered, x, joined(x.sizes(), front, count, merged));
        int[][] sources = new int[x.rank()][];
        sources[front] = places.positions();
        Tensor picked = ArrangementLowering.pick(lowered, x, sources, ArrangementLowering.dense(x, sources));
        return reshaped(lowered, picked, joined(picked.sizes(), front, 1, places.shape()));
    }

    /** With those dimensions before all others. */
    private static Tensor inFront(Lowered lowered, Tensor t, int[] dims) {
        int[] order = IntStream.concat(
                        IntStream.of(dims),
                        IntStream.range(0, t.rank())
                                .filter(d -> IntStream.of(dims).noneMatch(other -> other == d)))
                .toArray();
        int[] sizes = IntStream.of(order).map(t::size).toArray();
        return lowered.compute(new TransposeOp(order), Lowered.tensor(t.dtype(), t.quantization(), sizes), t);
    }

    private static Tensor reshaped(Lowered lowered, Tensor t, int[] sizes) {
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(t.dtype(), t.quantization(), sizes), t);
    }

    /** Sizes with others in the place of some. */
    private static int[] joined(int[] sizes, int from, int count, int... instead) {
        return IntStream.concat(
                        IntStream.concat(IntStream.of(sizes).limit(from), IntStream.of(instead)),
                        IntStream.of(sizes).skip(from + count))
                .toArray();
    }
}
