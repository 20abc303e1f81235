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
 * The padded image cut into blocks, each pixel of a block to a batch of its own. Padding is zero, for quantized tensors
 * the zero point.
 */
final class SpaceToBatchNd extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "block", "paddings", "layout");
    private static final int INPUT = INPUTS.at("input");
    private static final int BLOCK = INPUTS.at("block");
    private static final int PADDINGS = INPUTS.at("paddings");
    private static final int LAYOUT = INPUTS.at("layout");

    SpaceToBatchNd() {
        super(
                OperationType.SPACE_TO_BATCH_ND,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32, TENSOR_INT32)
                        .tail(V1_2, TENSOR_INT32, TENSOR_INT32, BOOL)
                        .rank("input", 4)
                        .rank("block", 1)
                        .rankInTheEnd("paddings", 2)
                        .sameQuantization("input", "output")
                        .later(
                                "zeroPoint",
                                V1_2,
                                "SPACE_TO_BATCH_ND with a zero point other than 0",
                                operation -> operation.type(INPUT).isQuantized()
                                        && operation.input(INPUT).zeroPoint() != 0)
                        .build());
    }

    /** The block's height and width. */
    static int[] block(OperationContext operation, int input) {
        operation.requireDims(input, 2);
        int[] block = operation.intArray(input);
        for (int size : block) {
            operation.require(size >= 1, "block size", size, ">= 1");
        }
        return block;
    }

    private static int[] paddings(OperationContext operation) {
        operation.requireDims(PADDINGS, 2, 2);
        int[] paddings = operation.intArray(PADDINGS);
        for (int padding : paddings) {
            operation.require(padding >= 0, "padding", padding, ">= 0");
        }
        return paddings;
    }

    private static int blocks(OperationContext operation, String what, int size, int head, int tail, int block) {
        long padded = (long) size + head + tail;
        operation.require(padded % block == 0, "padded " + what, padded, "a multiple of the block size, " + block);
        return (int) (padded / block);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] block = block(operation, BLOCK);
        int[] paddings = paddings(operation);
        int[] dims = operation.dims(INPUT);
        operation.setOutput(
                OUT,
                layout.dims(
                        operation.product("batches", dims[0], operation.product("block", block[0], block[1])),
                        blocks(operation, "height", layout.height(dims), paddings[0], paddings[1], block[0]),
                        blocks(operation, "width", layout.width(dims), paddings[2], paddings[3], block[1]),
                        layout.channels(dims)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] block = block(operation, BLOCK);
        int[] paddings = paddings(operation);
        int[] dims = operation.dims(INPUT);
        int[] outDims = operation.outDims(OUT);
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int b = 0; b < outDims[0]; b++) {
            int offset = b / dims[0];
            for (int y = 0; y < layout.height(outDims); y++) {
                int row = y * block[0] + offset / block[1] - paddings[0];
                for (int x = 0; x < layout.width(outDims); x++) {
                    int column = x * block[1] + offset % block[1] - paddings[2];
                    boolean inside =
                            row >= 0 && row < layout.height(dims) && column >= 0 && column < layout.width(dims);
                    for (int c = 0; c < layout.channels(dims); c++) {
                        out.set(
                                layout.index(outDims, b, y, x, c),
                                inside
                                        ? input.get(layout.index(dims, b % dims[0], row, column, c))
                                        : operation.zeroPoint(INPUT));
                    }
                }
            }
        }
    }
}
