package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Channels spread over the image: each becomes one pixel of a square block. */
final class DepthToSpace extends DepthRearrangement {
    DepthToSpace() {
        super(OperationType.DEPTH_TO_SPACE);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int block = BlockSize.of(operation, BLOCK_SIZE);
        int[] dims = operation.dims(INPUT);
        int channels = layout.channels(dims);
        operation.require(
                channels % (block * block) == 0,
                "channels",
                channels,
                "a multiple of block size squared, " + block * block);
        operation.setOutput(
                OUT,
                layout.dims(
                        dims[0],
                        operation.product("height", layout.height(dims), block),
                        operation.product("width", layout.width(dims), block),
                        channels / (block * block)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        each(
                operation,
                operation.outDims(OUT),
                operation.dims(INPUT),
                (deep, image) -> out.set(image, input.get(deep)));
    }
}
