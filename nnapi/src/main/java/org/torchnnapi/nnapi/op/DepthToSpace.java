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

/** Channels spread over the image: each becomes one pixel of a square block. */
final class DepthToSpace extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int BLOCK_SIZE = 1;
    private static final int LAYOUT = 2;
    private static final int OUT = 0;

    DepthToSpace() {
        super(OperationType.DEPTH_TO_SPACE, Signatures.builder()
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
        int channels = layout.channels(dims);
        operation.require(channels % (block * block) == 0, "channels", channels, "a multiple of block size squared, " + block * block);
        operation.setOutput(OUT, layout.dims(dims[0], operation.product("height", layout.height(dims), block),
                operation.product("width", layout.width(dims), block), channels / (block * block)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageLayout layout = ImageLayout.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int[] image = operation.outDims(OUT);
        int[] deep = operation.dims(INPUT);
        int channels = layout.channels(image);
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int b = 0; b < image[0]; b++) {
            for (int y = 0; y < layout.height(image); y++) {
                for (int x = 0; x < layout.width(image); x++) {
                    for (int c = 0; c < channels; c++) {
                        int channel = (y % block * block + x % block) * channels + c;
                        out.set(layout.index(image, b, y, x, c), input.get(layout.index(deep, b, y / block, x / block, channel)));
                    }
                }
            }
        }
    }
}
