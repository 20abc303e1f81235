package org.torchnnapi.nnapi.op;

/**
 * A window sliding over an image. Its padding is either one code, or four counts: left, right, top, bottom; strides follow, width first.
 *
 * @param rows along the height
 * @param columns along the width
 */
record Window(WindowAxis rows, WindowAxis columns) {
    /** How an operation gives padding and strides: where the padding starts, and whether it is explicit. */
    record Operands(int padding, boolean explicit) {
        int strideWidth() {
            return padding + (explicit ? 4 : 1);
        }

        int strideHeight() {
            return strideWidth() + 1;
        }

        /** The first operand behind the strides. */
        int next() {
            return strideWidth() + 2;
        }

        /** The windows over an image of this size. */
        Window over(OperationContext operation, int height, int width, int filterHeight, int filterWidth, int dilationHeight, int dilationWidth) {
            return new Window(axis(operation, height, filterHeight, strideHeight(), dilationHeight, padding + 2),
                    axis(operation, width, filterWidth, strideWidth(), dilationWidth, padding));
        }

        private WindowAxis axis(OperationContext operation, int size, int filter, int stride, int dilation, int head) {
            int step = operation.intValue(stride);
            return explicit
                    ? WindowAxis.explicit(operation, size, filter, step, dilation, operation.intValue(head), operation.intValue(head + 1))
                    : WindowAxis.implicit(operation, size, filter, step, dilation, operation.intValue(padding));
        }

        /** Checks the constants that no image size is needed for. */
        void check(ValidationContext operation) {
            for (int i = padding; i < padding + 4 && explicit; i++) {
                operation.requireInt(i, 0, Integer.MAX_VALUE);
            }
            if (!explicit) {
                operation.requireInt(padding, WindowAxis.SAME, WindowAxis.VALID);
            }
            operation.requireInt(strideWidth(), 1, Integer.MAX_VALUE);
            operation.requireInt(strideHeight(), 1, Integer.MAX_VALUE);
        }
    }
}
