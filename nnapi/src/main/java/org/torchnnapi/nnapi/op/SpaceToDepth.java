package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Square blocks of the image folded into channels. */
final class SpaceToDepth extends DepthRearrangement {
    SpaceToDepth() {
        super(OperationType.SPACE_TO_DEPTH);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int[] dims = operation.dims(INPUT);
        int height = layout.height(dims);
        int width = layout.width(dims);
        operation.require(height % block == 0, "height", height, "a multiple of the block size, " + block);
        operation.require(width % block == 0, "width", width, "a multiple of the block size, " + block);
        operation.setOutput(
                OUT,
                layout.dims(
                        dims[0],
                        height / block,
                        width / block,
                        operation.product("channels", layout.channels(dims), block * block)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        each(
                operation,
                operation.dims(INPUT),
                operation.outDims(OUT),
                (deep, image) -> out.set(deep, input.get(image)));
    }
}
