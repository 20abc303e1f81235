package org.torchnnapi.nnapi.op;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.WindowAxis;

/**
 * A window sliding over an image. Its padding is either one code, or four counts: left, right, top, bottom; strides
 * follow, width first.
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

    /**
     * What inputs are called where the padding is a code, or given in elements.
     *
     * @param before those before the padding
     * @param behind those behind the strides
     */
    static OperandNames names(boolean explicit, List<String> before, List<String> behind) {
        List<String> names = new ArrayList<>(before);
        names.addAll(
                explicit
                        ? List.of("paddingLeft", "paddingRight", "paddingTop", "paddingBottom")
                        : List.of("paddingCode"));
        names.addAll(List.of("strideWidth", "strideHeight"));
        names.addAll(behind);
        return OperandNames.of(names.toArray(new String[0]));
    }

    /** Demands on the constants that no image size is needed for. */
    static Signatures.Builder rules(Signatures.Builder builder) {
        return builder.range("paddingCode", PaddingCode.SAME, PaddingCode.VALID)
                .range("paddingLeft", 0, Integer.MAX_VALUE)
                .range("paddingRight", 0, Integer.MAX_VALUE)
                .range("paddingTop", 0, Integer.MAX_VALUE)
                .range("paddingBottom", 0, Integer.MAX_VALUE)
                .range("strideWidth", 1, Integer.MAX_VALUE)
                .range("strideHeight", 1, Integer.MAX_VALUE)
                .range("activation", 0, FusedActivation.values().length - 1);
    }

    /** Whether the padding is given in elements. */
    static boolean isExplicit(OperationContext operation) {
        return operation.at("paddingLeft") >= 0;
    }

    /** The windows over an image of this size. */
    static Window over(
            OperationContext operation,
            int height,
            int width,
            int filterHeight,
            int filterWidth,
            int dilationHeight,
            int dilationWidth) {
        return new Window(
                axis(operation, height, filterHeight, "strideHeight", dilationHeight, "paddingTop"),
                axis(operation, width, filterWidth, "strideWidth", dilationWidth, "paddingLeft"));
    }

    /** @param head the explicit padding before the image, which the one behind it follows */
    private static WindowAxis axis(
            OperationContext operation, int size, int filter, String stride, int dilation, String head) {
        int step = operation.intValue(operation.at(stride));
        int before = operation.at(head);
        return isExplicit(operation)
                ? checked(
                        operation,
                        () -> WindowAxis.of(
                                size,
                                filter,
                                step,
                                dilation,
                                operation.intValue(before),
                                operation.intValue(before + 1)))
                : checked(
                        operation,
                        () -> PaddingCode.window(
                                operation.intValue(operation.at("paddingCode")), size, filter, step, dilation));
    }
}
