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
    private static final OperandNames INPUTS = OperandNames.of("input", "blockSize", "layout");
    static final int INPUT = INPUTS.at("input");
    static final int BLOCK_SIZE = INPUTS.at("blockSize");
    static final int LAYOUT = INPUTS.at("layout");

    /** Takes each element from its place in the input to its place in the output. */
    @FunctionalInterface
    interface Move {
        void move(int deepIndex, int imageIndex);
    }

    DepthRearrangement(OperationType type) {
        super(
                type,
                Signatures.builder(INPUTS)
                        .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_0, INT32)
                        .tail(V1_2, INT32, BOOL)
                        .rank("input", 4)
                        .range("blockSize", 1, Integer.MAX_VALUE)
                        .sameQuantization("input", "output")
                        .build());
    }

    /**
     * Visits all elements: pixel (y, x), channel c of the image is pixel (y / block, x / block), channel ((y % block) *
     * block + x % block) * channels + c of the deep tensor.
     */
    static void each(OperationContext operation, int[] image, int[] deep, Move move) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int channels = layout.channels(image);
        for (int b = 0; b < image[0]; b++) {
            for (int y = 0; y < layout.height(image); y++) {
                for (int x = 0; x < layout.width(image); x++) {
                    for (int c = 0; c < channels; c++) {
                        int channel = (y % block * block + x % block) * channels + c;
                        move.move(
                                layout.index(deep, b, y / block, x / block, channel), layout.index(image, b, y, x, c));
                    }
                }
            }
        }
    }
}
