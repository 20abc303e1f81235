package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.EmbeddingParams;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.FusedRows;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Look-ups in tables of rows of 8, 4 or 2 bits, each row with its own scale and offset. */
public final class QuantizedEmbeddings implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        String packed = EmbeddingParams.CLASS.qualifiedName();
        r.op(
                "quantized::embedding_bag_prepack(Tensor weight) -> " + packed,
                a -> EmbeddingParams.CLASS.wrap(EmbeddingParams.of(tensor(a, 0))));
        r.op(
                "quantized::embedding_bag_unpack(" + packed + " W_prepack) -> Tensor W_origin",
                a -> EmbeddingParams.CLASS.unwrap(a, 0).weight());
        packedForms(r, packed, "byte", Byte.SIZE);
        packedForms(r, packed, "4bit", 4);
        fusedForms(r, "byte", Byte.SIZE);
        fusedForms(r, "4bit", 4);
        fusedForms(r, "2bit", 2);
        r.op(
                "aten::choose_qparams_optimized(Tensor input, int numel, int n_bins, float ratio, int bit_width) -> "
                        + "(Tensor, Tensor)",
                a -> {
                    float[] values = Elements.floats(tensor(a, 0));
                    long count = Args.integer(a, 1);
                    if (count < 1 || count > values.length) {
                        throw new IllegalArgumentException(
                                "numel: " + count + " (expected: 1 to the input's " + values.length + ")");
                    }
                    float[] range = FusedRows.optimizedRange(
                            Arrays.copyOf(values, (int) count), Args.int32(a, 2), Args.real(a, 3), Args.int32(a, 4));
                    return new Object[] {Tensor.of(new float[] {range[1]}, 1), Tensor.of(new float[] {range[0]}, 1)};
                });
    }

    /** On tables that are objects of their own, which have 8 or 4 bits. */
    private static void packedForms(Registrar r, String packed, String suffix, int bits) {
        r.op(
                "quantized::embedding_" + suffix + "(" + packed
                        + " weight, Tensor indices, bool pruned_weights=False) -> Tensor",
                a -> {
                    requireMapping(flag(a, 2), null);
                    return lookUp(EmbeddingParams.CLASS.unwrap(a, 0).rows(bits), tensor(a, 1));
                });
        r.op(
                "quantized::embedding_bag_" + suffix + "(" + packed + bagArguments(),
                a -> bag(EmbeddingParams.CLASS.unwrap(a, 0).rows(bits), a));
    }

    /** On matrices of bytes, each row with its scale and offset behind it. */
    private static void fusedForms(Registrar r, String suffix, int bits) {
        String name = "quantized::embedding_bag_" + suffix;
        if (bits == Byte.SIZE) {
            r.op(name + "_prepack(Tensor weight) -> Tensor", a -> FusedRows.quantize(real(a), bits, null));
        } else {
            r.op(
                    name
                            + "_prepack(Tensor weight, bool optimized_qparams=False, int nbins=200, float "
                            + "ratio=0.16) -> Tensor",
                    a -> FusedRows.quantize(
                            real(a),
                            bits,
                            flag(a, 1)
                                    ? row -> FusedRows.optimizedRange(row, Args.int32(a, 2), Args.real(a, 3), bits)
                                    : null));
        }
        r.op(
                name + "_unpack(Tensor weight) -> Tensor",
                a -> FusedRows.of(tensor(a, 0), bits).dequantized(tensor(a, 0).sizes()));
        r.op(name + "_rowwise_offsets(Tensor" + bagArguments(), a -> {
            if (tensor(a, 0).rank() != 2) {
                throw new IllegalArgumentException("weight: " + tensor(a, 0) + " (expected: a matrix)");
            }
            return bag(FusedRows.of(tensor(a, 0), bits), a);
        });
    }

    private static String bagArguments() {
        return " weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, bool "
                + "pruned_weights=False, "
                + "Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool "
                + "include_last_offset=False) -> Tensor";
    }

    private static Tensor real(Object[] a) {
        Tensor weight = tensor(a, 0);
        if (weight.dtype() != DType.FLOAT32 && weight.dtype() != DType.FLOAT16 || weight.rank() < 1) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: float32 or float16 with rows)");
        }
        return weight;
    }

    private static void requireMapping(boolean pruned, Tensor mapping) {
        if (pruned && mapping == null) {
            throw new IllegalArgumentException(
                    "compressed_indices_mapping: None (expected: where each row is, as pruned_weights is set)");
        }
    }

    private static long[] indices(Tensor indices) {
        if (indices.dtype() != DType.INT32 && indices.dtype() != DType.INT64) {
            throw new IllegalArgumentException("indices: " + indices + " (expected: int32 or int64)");
        }
        return Elements.longs(indices);
    }

    private static Tensor lookUp(FusedRows table, Tensor indices) {
        long[] rows = indices(indices);
        int[] sizes = Arrays.copyOf(indices.sizes(), indices.rank() + 1);
        sizes[indices.rank()] = table.width();
        Tensor out = Tensors.empty(DType.FLOAT32, sizes);
        for (int i = 0; i < rows.length; i++) {
            table.add(rows[i], 1, out.storage().floatArray(), i * table.width());
        }
        return out;
    }

    /** Sums of the rows of each bag; bags start at the offsets, or are the rows of two-dimensional indices. */
    private static Tensor bag(FusedRows table, Object[] a) {
        Tensor indices = tensor(a, 1);
        Tensor offsets = tensorOrNull(a, 2);
        Tensor factors = tensorOrNull(a, 6);
        long[] mapping = mapping(flag(a, 5), tensorOrNull(a, 7));
        boolean includesLast = flag(a, 8);
        long[] rows = indices(indices);
        long[] starts;
        if (indices.rank() == 2) {
            if (offsets != null) {
                throw new IllegalArgumentException("offsets: " + offsets
                        + " (expected: None for two-dimensional indices, whose rows are the bags)");
            }
            starts = new long[indices.size(0) + 1];
            Arrays.setAll(starts, i -> (long) i * indices.size(1));
        } else {
            if (offsets == null || indices.rank() != 1) {
                throw new IllegalArgumentException("indices: " + indices + ", offsets: " + offsets
                        + " (expected: one-dimensional indices with offsets, or two-dimensional ones)");
            }
            long[] given = Elements.longs(offsets);
            starts = includesLast ? given : Arrays.copyOf(given, given.length + 1);
            if (!includesLast) {
                starts[given.length] = rows.length;
            }
        }
        int bags = Math.max(starts.length - 1, 0);
        float[] weights = factors == null ? null : Elements.floats(factors);
        if (weights != null && weights.length != rows.length) {
            throw new IllegalArgumentException(
                    "per_sample_weights: " + factors + " (expected: " + rows.length + ", one an index)");
        }
        Tensor out = Tensors.empty(DType.FLOAT32, bags, table.width());
        for (int b = 0; b < bags; b++) {
            if (starts[b] < 0 || starts[b] > starts[b + 1] || starts[b + 1] > rows.length) {
                throw new IllegalArgumentException("offsets: " + starts[b] + " to " + starts[b + 1]
                        + " (expected: rising, within " + rows.length + ")");
            }
            for (long i = starts[b]; i < starts[b + 1]; i++) {
                long row = mapped(rows[(int) i], mapping);
                if (row != PRUNED) {
                    table.add(
                            row,
                            weights == null ? 1 : weights[(int) i],
                            out.storage().floatArray(),
                            b * table.width());
                }
            }
        }
        return out;
    }

    /** A row that is not there, of which the sum has nothing. */
    private static final long PRUNED = -1;

    /**
     * Where each row is, or null if all are where they were: none are pruned, or the mapping is the one zero that says
     * so.
     */
    private static long[] mapping(boolean pruned, Tensor given) {
        requireMapping(pruned, given);
        long[] mapping = pruned ? Elements.longs(given) : null;
        return mapping == null || mapping.length == 1 && mapping[0] == 0 ? null : mapping;
    }

    private static long mapped(long row, long[] mapping) {
        if (mapping == null) {
            // The table says what is wrong with it.
            return row < 0 ? Long.MIN_VALUE : row;
        }
        if (row < 0 || row >= mapping.length) {
            throw new IllegalArgumentException("index: " + row + " (expected: within the " + mapping.length
                    + " rows of compressed_indices_mapping)");
        }
        return mapping[(int) row];
    }
}
