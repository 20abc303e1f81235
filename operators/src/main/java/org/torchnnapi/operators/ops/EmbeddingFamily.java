package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Rows of a table by index, singly or reduced by bags. */
public final class EmbeddingFamily implements OperatorFamily {
    private static final int SUM = 0;
    private static final int MEAN = 1;
    private static final int MAX = 2;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
                        + "bool sparse=False) -> Tensor",
                a -> look(tensor(a, 0), tensor(a, 1)),
                OperatorTrait.LOOKS_UP);
        r.op(
                "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, "
                        + "bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool "
                        + "include_last_offset, "
                        + "int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
                a -> bags(a, integerOrNull(a, 8)));
        r.op(
                "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, "
                        + "int mode=0, bool sparse=False, Tensor? per_sample_weights=None, "
                        + "bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)",
                a -> bags(a, null));
        r.op(
                "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, "
                        + "int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool "
                        + "include_last_offset=False, "
                        + "int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
                a -> bags(a, integer(a, 8) < 0 ? null : integer(a, 8)));
    }

    private static Tensor look(Tensor table, Tensor indices) {
        if (table.rank() != 2 || !indices.dtype().isIntegral()) {
            throw new IllegalArgumentException(
                    "embedding: table " + table + ", indices " + indices + " (expected: a matrix and integers)");
        }
        int[] sizes = Arrays.copyOf(indices.sizes(), indices.rank() + 1);
        sizes[indices.rank()] = table.sizes()[1];
        for (long index : Elements.longs(indices)) {
            if (index < 0 || index >= table.sizes()[0]) {
                throw new IndexOutOfBoundsException("index out of range in self");
            }
        }
        return TensorViews.reshape(TensorAdvancedIndexing.take(table, 0, TensorViews.reshape(indices, -1L)), sizes);
    }

    /** Four results as in PyTorch; only the first is of use outside training. */
    private static Object[] bags(Object[] a, Long padding) {
        Tensor table = tensor(a, 0);
        long[] indices = Elements.longs(tensor(a, 1));
        long[] offsets = Elements.longs(tensor(a, 2));
        int mode = (int) integer(a, 4);
        Tensor weights = tensorOrNull(a, 6);
        boolean includesLast = flag(a, 7);
        if (weights != null && mode != SUM) {
            throw new IllegalArgumentException(
                    "embedding_bag: per_sample_weights was not None; it is only supported for mode='sum'");
        }
        double[] values = Elements.doubles(table);
        double[] factors = weights == null ? null : Elements.doubles(weights);
        int width = table.sizes()[1];
        int count = includesLast ? offsets.length - 1 : offsets.length;
        double[] out = new double[Tensors.count(Math.max(count, 0), width)];
        long skipped = padding == null ? -1 : padding < 0 ? padding + table.sizes()[0] : padding;
        for (int bag = 0; bag < count; bag++) {
            long to = bag + 1 < offsets.length ? offsets[bag + 1] : indices.length;
            int used = 0;
            for (long i = offsets[bag]; i < to; i++) {
                if (i < 0 || i >= indices.length || indices[(int) i] < 0 || indices[(int) i] >= table.sizes()[0]) {
                    throw new IndexOutOfBoundsException("embedding_bag: Expected idx >= 0 && idx < num_embeddings");
                }
                if (padding != null && indices[(int) i] == skipped) {
                    continue;
                }
                int row = (int) indices[(int) i] * width;
                for (int k = 0; k < width; k++) {
                    double v = values[row + k] * (factors == null ? 1 : factors[(int) i]);
                    int at = bag * width + k;
                    out[at] = mode == MAX ? used == 0 ? v : Math.max(out[at], v) : out[at] + v;
                }
                used++;
            }
            for (int k = 0; mode == MEAN && used > 0 && k < width; k++) {
                out[bag * width + k] /= used;
            }
        }
        Tensor none = Tensors.empty(DType.INT64, 0);
        return new Object[] {Elements.ofDoubles(table.dtype(), out, Math.max(count, 0), width), none, none, none};
    }
}
