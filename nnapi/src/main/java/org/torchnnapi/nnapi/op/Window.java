package org.torchnnapi.nnapi.op;

import java.util.function.Supplier;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.WindowAxis;

/**
 * A window sliding over an image. Its padding is either one code, or four counts: left, right, top, bottom; strides follow, width first.
 *
 * @param rows along the height
 * @param columns along the width
 */
record Window(WindowAxis rows, WindowAxis columns) {
    /** The axis, with its refusal as the operation's: BAD_DATA. */
    static WindowAxis checked(OperationContext operation, Supplier<WindowAxis> axis) {
        try {
            return axis.get();
        } catch (IllegalArgumentException e) {
            throw new NnapiException(ResultCode.BAD_DATA, operation.operation() + ": " + e.getMessage());
        }
    }

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
                    ? checked(operation, () -> WindowAxis.of(size, filter, step, dilation, operation.intValue(head), operation.intValue(head + 1)))
                    : checked(operation, () -> PaddingCode.window(operation.intValue(padding), size, filter, step, dilation));
        }

        /** Checks the constants that no image size is needed for. */
        void check(ValidationContext operation) {
            for (int i = padding; i < padding + 4 && explicit; i++) {
                operation.requireInt(i, 0, Integer.MAX_VALUE);
            }
            if (!explicit) {
                operation.requireInt(padding, PaddingCode.SAME, PaddingCode.VALID);
            }
            operation.requireInt(strideWidth(), 1, Integer.MAX_VALUE);
            operation.requireInt(strideHeight(), 1, Integer.MAX_VALUE);
        }
    }
}
