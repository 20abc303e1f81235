package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** Square blocks of the image folded into channels. */
final class SpaceToDepth extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int BLOCK_SIZE = 1;
    private static final int LAYOUT = 2;
    private static final int OUT = 0;

    SpaceToDepth() {
        super(OperationType.SPACE_TO_DEPTH, Signatures.builder()
                .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_2, 1, TENSOR_FLOAT16)
                .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                .tail(V1_0, INT32)
                .tail(V1_2, INT32, BOOL)
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireInt(BLOCK_SIZE, 1, Integer.MAX_VALUE);
        operation.requireSameQuantization(INPUT, OUT);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        ImageLayout layout = ImageLayout.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int[] dims = operation.dims(INPUT);
        int height = layout.height(dims);
        int width = layout.width(dims);
        operation.require(height % block == 0, "height", height, "a multiple of the block size, " + block);
        operation.require(width % block == 0, "width", width, "a multiple of the block size, " + block);
        operation.setOutput(OUT, layout.dims(dims[0], height / block, width / block,
                operation.product("channels", layout.channels(dims), block * block)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageLayout layout = ImageLayout.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int[] image = operation.dims(INPUT);
        int[] deep = operation.outDims(OUT);
        int channels = layout.channels(image);
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int b = 0; b < image[0]; b++) {
            for (int y = 0; y < layout.height(image); y++) {
                for (int x = 0; x < layout.width(image); x++) {
                    for (int c = 0; c < channels; c++) {
                        int channel = (y % block * block + x % block) * channels + c;
                        out.set(layout.index(deep, b, y / block, x / block, channel), input.get(layout.index(image, b, y, x, c)));
                    }
                }
            }
        }
    }
}
