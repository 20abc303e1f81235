package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * Batches woven into the image: each becomes one pixel of a block. The inverse of SPACE_TO_BATCH_ND without padding.
 */
final class BatchToSpaceNd extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "block", "layout");
    private static final int INPUT = INPUTS.at("input");
    private static final int BLOCK = INPUTS.at("block");
    private static final int LAYOUT = INPUTS.at("layout");

    BatchToSpaceNd() {
        super(
                OperationType.BATCH_TO_SPACE_ND,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32)
                        .tail(V1_2, TENSOR_INT32, BOOL)
                        .rank("input", 4)
                        .rank("block", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] block = SpaceToBatchNd.block(operation, BLOCK);
        int[] dims = operation.dims(INPUT);
        int size = operation.product("block", block[0], block[1]);
        operation.require(dims[0] % size == 0, "batches", dims[0], "a multiple of the block, " + size);
        operation.setOutput(
                OUT,
                layout.dims(
                        dims[0] / size,
                        operation.product("height", layout.height(dims), block[0]),
                        operation.product("width", layout.width(dims), block[1]),
                        layout.channels(dims)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] block = SpaceToBatchNd.block(operation, BLOCK);
        int[] dims = operation.dims(INPUT);
        int[] image = operation.outDims(OUT);
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int b = 0; b < image[0]; b++) {
            for (int y = 0; y < layout.height(image); y++) {
                for (int x = 0; x < layout.width(image); x++) {
                    int batch = (y % block[0] * block[1] + x % block[1]) * image[0] + b;
                    for (int c = 0; c < layout.channels(image); c++) {
                        out.set(
                                layout.index(image, b, y, x, c),
                                input.get(layout.index(dims, batch, y / block[0], x / block[1], c)));
                    }
                }
            }
        }
    }
}
