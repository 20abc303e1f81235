package org.torchnnapi.nnapi.op;

/** The size of the blocks that DEPTH_TO_SPACE and SPACE_TO_DEPTH move between channels and image. */
final class BlockSize {
    private BlockSize() {}

    /**
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA unless it is positive and its square a 32-bit integer
     */
    static int of(OperationContext operation, int input) {
        int size = operation.intValue(input);
        operation.require(size >= 1 && size <= 46340, "block size", size, "1 to 46340");
        return size;
    }
}
