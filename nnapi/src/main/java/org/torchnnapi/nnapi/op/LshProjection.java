package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Locality-sensitive hashing to bits. A bit is whether the weighted sum, over the slices of the input, of the
 * fingerprint of the bit's seed and the slice is positive. Dense: every bit is an output; sparse: the bits of one hash
 * function make one number.
 */
final class LshProjection extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("hash", "input", "weight", "type");
    private static final int HASH = INPUTS.at("hash");
    private static final int INPUT = INPUTS.at("input");
    private static final int WEIGHT = INPUTS.at("weight");
    private static final int TYPE = INPUTS.at("type");

    /** Sparse without an offset per hash function; deprecated since 1.2. */
    private static final int SPARSE_WITHOUT_OFFSET = 1;

    private static final int DENSE = 2;
    private static final int SPARSE = 3;

    private static final int MAX_SPARSE_BITS = 32;

    LshProjection() {
        super(OperationType.LSH_PROJECTION, accepted());
    }

    private static Signatures accepted() {
        Signatures.Builder builder = Signatures.builder(INPUTS);
        for (OperandType hash : List.of(TENSOR_FLOAT32, TENSOR_FLOAT16)) {
            FeatureLevel since = hash == TENSOR_FLOAT32 ? V1_0 : V1_2;
            for (OperandType input : List.of(TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_FLOAT16)) {
                builder.row(input == TENSOR_FLOAT16 ? V1_2 : since, in(hash, input, hash, INT32), out(TENSOR_INT32));
            }
        }
        return builder.optional("weight")
                .rank("hash", 2)
                .rank("input", 1, Integer.MAX_VALUE)
                .rank("weight", 1)
                .range("type", SPARSE_WITHOUT_OFFSET, SPARSE)
                .later(
                        "sparseWithOffsets",
                        V1_2,
                        "LSH_PROJECTION of type sparse with offsets came with 1.2",
                        operation -> operation.constantInt(TYPE).orElse(0) == SPARSE)
                .build();
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int type = operation.intValue(TYPE);
        int bits = operation.dim(HASH, 1);
        operation.require(
                type == DENSE || bits <= MAX_SPARSE_BITS, "bits per hash function", bits, "at most " + MAX_SPARSE_BITS);
        if (operation.has(WEIGHT)) {
            operation.requireDims(WEIGHT, operation.dim(INPUT, 0));
        }
        operation.setOutput(OUT, operation.dim(HASH, 0) * (type == DENSE ? bits : 1));
    }

    @Override
    public void execute(ExecutionContext operation) {
        int functions = operation.dim(HASH, 0);
        int bits = operation.dim(HASH, 1);
        int type = operation.intValue(TYPE);
        float[] weights = Reals.read(operation, WEIGHT);
        IntView seeds = operation.ints(HASH);
        IntView input = operation.ints(INPUT);
        int slices = operation.dim(INPUT, 0);
        int slice = Dims.product(operation.dims(INPUT), 1, operation.rank(INPUT));
        int seedBytes = operation.type(HASH).element().bytes();
        int elementBytes = operation.type(INPUT).element().bytes();
        ByteBuffer key = ByteBuffer.allocate(seedBytes + slice * elementBytes).order(ByteOrder.LITTLE_ENDIAN);
        IntView out = operation.outInts(OUT);
        for (int f = 0; f < functions; f++) {
            int signature = 0;
            for (int bit = 0; bit < bits; bit++) {
                double score = 0;
                for (int i = 0; i < slices; i++) {
                    ((Buffer) key).clear();
                    put(key, seeds.get(f * bits + bit), seedBytes);
                    for (int j = 0; j < slice; j++) {
                        put(key, input.get(i * slice + j), elementBytes);
                    }
                    double fingerprint = Fingerprint64.of(key.array());
                    score += weights == null ? fingerprint : weights[i] * fingerprint;
                }
                int sign = score > 0 ? 1 : 0;
                signature = signature << 1 | sign;
                if (type == DENSE) {
                    out.set(f * bits + bit, sign);
                }
            }
            if (type != DENSE) {
                out.set(f, type == SPARSE ? signature + f * (1 << bits) : signature);
            }
        }
    }

    private static void put(ByteBuffer key, int raw, int bytes) {
        switch (bytes) {
            case 4 -> key.putInt(raw);
            case 2 -> key.putShort((short) raw);
            default -> key.put((byte) raw);
        }
    }
}
