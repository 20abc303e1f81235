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

/** Pixels of square blocks of an image exchanged with channels, in either direction. */
abstract class DepthRearrangement extends OperationDefinition {
    static final int INPUT = 0;
    static final int BLOCK_SIZE = 1;
    static final int LAYOUT = 2;
    static final int OUT = 0;

    /** Takes each element from its place in the input to its place in the output. */
    @FunctionalInterface
    interface Move {
        void move(int deepIndex, int imageIndex);
    }

    DepthRearrangement(OperationType type) {
        super(type, Signatures.builder()
                .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_2, 1, TENSOR_FLOAT16)
                .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                .tail(V1_0, INT32)
                .tail(V1_2, INT32, BOOL)
                .build());
    }

    @Override
    protected final void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireInt(BLOCK_SIZE, 1, Integer.MAX_VALUE);
        operation.requireSameQuantization(INPUT, OUT);
    }

    /**
     * Visits all elements: pixel (y, x), channel c of the image is pixel (y / block, x / block), channel
     * ((y % block) * block + x % block) * channels + c of the deep tensor.
     */
    static void each(OperationContext operation, int[] image, int[] deep, Move move) {
        ImageLayout layout = ImageLayout.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int channels = layout.channels(image);
        for (int b = 0; b < image[0]; b++) {
            for (int y = 0; y < layout.height(image); y++) {
                for (int x = 0; x < layout.width(image); x++) {
                    for (int c = 0; c < channels; c++) {
                        int channel = (y % block * block + x % block) * channels + c;
                        move.move(layout.index(deep, b, y / block, x / block, channel), layout.index(image, b, y, x, c));
                    }
                }
            }
        }
    }
}
