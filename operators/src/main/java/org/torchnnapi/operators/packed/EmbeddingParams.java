package org.torchnnapi.operators.packed;

import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.support.FusedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * A quantized embedding table {@code [entries, dimension]} with a scale and a real zero point per entry. State:
 * {@code (version, [weight], [], [bit rate])}. Safe for use by several threads.
 */
public final class EmbeddingParams {
    public static final PackedClass<EmbeddingParams> CLASS = new PackedClass<>(
            "quantized.EmbeddingPackedParamsBase",
            EmbeddingParams.class,
            EmbeddingParams::state,
            EmbeddingParams::ofState,
            Map.of(
                    "unpack",
                    EmbeddingParams::weight,
                    "bit_rate",
                    params -> (long) params.bitRate,
                    "version",
                    params -> EmbeddingParams.STATE_VERSION));

    private static final long STATE_VERSION = 1;
    private static final int NIBBLE = 4;

    private final Tensor weight;
    private final int bitRate;
    /** Made when first read, as a table may be large and never be. */
    private volatile FusedRows rows;

    private EmbeddingParams(Tensor weight, int bitRate) {
        this.weight = weight;
        this.bitRate = bitRate;
    }

    /**
     * Packs a table.
     *
     * @param weight quint8 or quint4x2, quantized per row with real zero points
     * @throws IllegalArgumentException for another tensor, or columns of 4 bits that share no byte
     */
    public static EmbeddingParams of(Tensor weight) {
        if ((weight.dtype() != DType.QUINT8 && weight.dtype() != DType.QUINT4X2)
                || weight.rank() != 2
                || !(weight.quantization() instanceof Quantization.PerChannel q)
                || q.axis() != 0
                || q.scales().length != weight.size(0)) {
            throw new IllegalArgumentException(
                    "weight: " + weight + " (expected: a matrix of quint8 or quint4x2, quantized per row)");
        }
        int bits = weight.dtype() == DType.QUINT8 ? Byte.SIZE : NIBBLE;
        FusedRows.requireWholeBytes(weight.size(1), bits);
        return new EmbeddingParams(weight, bits);
    }

    private FusedRows packed() {
        Quantization.PerChannel q = (Quantization.PerChannel) weight.quantization();
        float[] scales = new float[weight.size(0)];
        float[] offsets = new float[scales.length];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (float) q.scales()[i];
            offsets[i] = -((float) q.zeroPoints()[i] * scales[i]);
        }
        Tensor dense = weight.contiguous();
        return FusedRows.of(dense.storage().byteArray(), dense.offset(), weight.size(1), scales, offsets, bitRate);
    }

    /** The table as it was packed. */
    public Tensor weight() {
        return weight;
    }

    /**
     * The rows of the table.
     *
     * @param bits that the caller reads
     * @throws IllegalArgumentException if the table has others
     */
    public FusedRows rows(int bits) {
        if (bits != bitRate) {
            throw new IllegalArgumentException(
                    "embedding table: " + bitRate + " bits (expected: " + bits + ", which the operator reads)");
        }
        FusedRows known = rows;
        if (known == null) {
            known = packed();
            rows = known;
        }
        return known;
    }

    private Object state() {
        return ScriptTuple.of(
                STATE_VERSION,
                new ScriptList(Type.Basic.TENSOR, List.of(weight)),
                new ScriptList(Type.Basic.FLOAT),
                ScriptList.ofInts(bitRate));
    }

    private static EmbeddingParams ofState(Object value) {
        ScriptTuple state = (ScriptTuple) value;
        return of((Tensor) ((ScriptList) state.get(1)).get(0));
    }
}
