package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.EmbeddingParams;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Look-ups in tables of 8-bit rows, each row with its own scale and zero point. */
public final class QuantizedEmbeddings implements OperatorFamily {
    private static final int BITS = 8;

    @Override
    public void register(Registrar r) {
        String packed = EmbeddingParams.CLASS.qualifiedName();
        r.op("quantized::embedding_bag_prepack(Tensor weight) -> " + packed, a -> EmbeddingParams.CLASS.wrap(new EmbeddingParams(tensor(a, 0), BITS)));
        r.op("quantized::embedding_bag_unpack(" + packed + " W_prepack) -> Tensor W_origin", a -> EmbeddingParams.CLASS.unwrap(a, 0).weight());
        r.op("quantized::embedding_byte(" + packed + " weight, Tensor indices, bool pruned_weights=False) -> Tensor",
            a -> lookUp(EmbeddingParams.CLASS.unwrap(a, 0).weight(), tensor(a, 1)));
        r.op("quantized::embedding_bag_byte(" + packed + " weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, "
            + "bool pruned_weights=False, Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool include_last_offset=False) -> Tensor",
            a -> bag(EmbeddingParams.CLASS.unwrap(a, 0).weight(), tensor(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 6), Args.flag(a, 8)));
    }

    /** Real rows of a table. */
    private record Table(byte[] bytes, int from, double[] scales, double[] zeroPoints, int rows, int width) {
        static Table of(Tensor weight) {
            if (!(weight.quantization() instanceof Quantization.PerChannel q) || weight.rank() != 2) {
                throw new IllegalArgumentException("weight: " + weight + " (expected: a matrix quantized per row)");
            }
            Tensor dense = weight.contiguous();
            return new Table(dense.storage().byteArray(), dense.offset(), q.scales(), q.zeroPoints(), weight.size(0), weight.size(1));
        }

        /** Adds a row times a factor. */
        void add(long row, float factor, float[] out, int at) {
            if (row < 0 || row >= rows) {
                throw new IllegalArgumentException("index: " + row + " (expected: within the " + rows + " rows)");
            }
            int r = (int) row;
            float scale = (float) scales[r];
            float bias = (float) (-zeroPoints[r] * scales[r]);
            for (int i = 0; i < width; i++) {
                out[at + i] += ((bytes[from + r * width + i] & 0xFF) * scale + bias) * factor;
            }
        }
    }

    private static Tensor lookUp(Tensor weight, Tensor indices) {
        Table table = Table.of(weight);
        long[] rows = Elements.longs(indices);
        int[] sizes = Arrays.copyOf(indices.sizes(), indices.rank() + 1);
        sizes[indices.rank()] = table.width();
        Tensor out = Tensors.empty(DType.FLOAT32, sizes);
        for (int i = 0; i < rows.length; i++) {
            table.add(rows[i], 1, out.storage().floatArray(), i * table.width());
        }
        return out;
    }

    /** Sums of the rows of each bag; bags start at the offsets, or are the rows of two-dimensional indices. */
    private static Tensor bag(Tensor weight, Tensor indices, Tensor offsets, Tensor factors, boolean includesLast) {
        Table table = Table.of(weight);
        long[] rows = Elements.longs(indices);
        long[] starts;
        if (indices.rank() == 2) {
            starts = new long[indices.size(0) + 1];
            Arrays.setAll(starts, i -> (long) i * indices.size(1));
        } else {
            if (offsets == null) {
                throw new IllegalArgumentException("offsets: None (expected: a tensor for one-dimensional indices)");
            }
            long[] given = Elements.longs(offsets);
            starts = includesLast ? given : Arrays.copyOf(given, given.length + 1);
            if (!includesLast) {
                starts[given.length] = rows.length;
            }
        }
        int bags = starts.length - 1;
        float[] weights = factors == null ? null : Elements.floats(factors);
        Tensor out = Tensors.empty(DType.FLOAT32, bags, table.width());
        for (int b = 0; b < bags; b++) {
            if (starts[b] < 0 || starts[b] > starts[b + 1] || starts[b + 1] > rows.length) {
                throw new IllegalArgumentException("offsets: " + starts[b] + " to " + starts[b + 1] + " (expected: rising, within " + rows.length + ")");
            }
            for (long i = starts[b]; i < starts[b + 1]; i++) {
                table.add(rows[(int) i], weights == null ? 1 : weights[(int) i], out.storage().floatArray(), b * table.width());
            }
        }
        return out;
    }
}
