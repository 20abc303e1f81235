package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.EmbeddingBagOp;
import org.torchnnapi.program.op.EmbeddingOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Rows of a constant float32 table by whole numbers, singly or brought together by bags. */
final class EmbeddingLowering implements LoweringFamily {
    private static final EmbeddingBagOp.Mode[] MODES = {
        EmbeddingBagOp.Mode.SUM, EmbeddingBagOp.Mode.MEAN, EmbeddingBagOp.Mode.MAX
    };

    @Override
    public void register(Registrar r) {
        r.add("aten::embedding", (lowered, node, a) -> {
            Tensor table = table(lowered, a);
            Tensor rows = numbers(a, 1);
            int[] sizes = Arrays.copyOf(rows.sizes(), rows.rank() + 1);
            sizes[rows.rank()] = table.size(1);
            return lowered.compute(
                    new EmbeddingOp(table.size(0), table.size(1), Support.weights(table)),
                    Lowered.tensor(DType.FLOAT32, null, sizes),
                    rows);
        });
        r.add("aten::embedding_bag", (lowered, node, a) -> {
            Long padding = a.length > 8 ? Args.integerOrNull(a, 8) : null;
            return bags(
                    lowered,
                    a,
                    padding == null
                            ? -1
                            : padding < 0 ? padding + Args.tensor(a, 0).size(0) : padding);
        });
        r.add("aten::_embedding_bag", (lowered, node, a) -> bags(lowered, a, Args.integer(a, 8)));
    }

    private static Tensor table(Lowered lowered, Object[] a) {
        Tensor table = Support.constant(lowered, a, 0);
        Support.require(table.rank() == 2, "a matrix");
        return table;
    }

    private static Tensor numbers(Object[] a, int i) {
        Tensor t = Args.tensor(a, i);
        Support.require(PromotedNumbers.isWhole(t.dtype()), "whole numbers");
        return t;
    }

    /**
     * Four results as in PyTorch; only the first is of use outside training.
     *
     * @param skipped a row to leave out; negative for none
     */
    private static Object[] bags(Lowered lowered, Object[] a, long skipped) {
        Tensor table = table(lowered, a);
        Tensor rows = numbers(a, 1);
        Tensor offsets = numbers(a, 2);
        int mode = Args.int32(a, 4);
        Tensor factors = Args.tensorOrNull(a, 6);
        Support.require(
                rows.rank() == 1
                        && offsets.rank() == 1
                        && mode >= 0
                        && mode < MODES.length
                        && (factors == null || mode == 0),
                "rows by bags");
        EmbeddingBagOp op = new EmbeddingBagOp(
                table.size(0), table.size(1), Support.weights(table), MODES[mode], Args.flag(a, 7), (int)
                        Math.max(skipped, -1));
        Tensor geometry =
                Lowered.tensor(DType.FLOAT32, null, offsets.size(0) - (op.includesLast() ? 1 : 0), table.size(1));
        Tensor out = factors == null
                ? lowered.compute(op, geometry, rows, offsets)
                : lowered.compute(op, geometry, rows, offsets, factors);
        Tensor none = Tensor.zeros(DType.INT64, 0);
        return new Object[] {out, none, none, none};
    }
}
