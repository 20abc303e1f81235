package org.torchnnapi.nnapi.op;

/**
 * A window sliding along one spatial axis (height or width) of a convolution or pooling.
 *
 * @param input size of the input along the axis
 * @param filter taps of the window
 * @param stride step of the window, in input elements
 * @param dilation distance of neighbouring taps, in input elements
 * @param padHead zeros before the input
 * @param output size of the output along the axis
 */
public record WindowAxis(int input, int filter, int stride, int dilation, int padHead, int output) {
    /** Padding code: pad so that the output has {@code ceil(input / stride)} elements, the odd zero at the tail. */
    public static final int SAME = 1;
    /** Padding code: no padding. */
    public static final int VALID = 2;

    /** Padding given in elements: output = (input + head + tail - effective filter) / stride + 1. */
    public static WindowAxis explicit(OperationContext operation, int input, int filter, int stride, int dilation, int padHead, int padTail) {
        check(operation, filter, stride, dilation);
        operation.require(padHead >= 0, "padding", padHead, ">= 0");
        operation.require(padTail >= 0, "padding", padTail, ">= 0");
        long span = (filter - 1L) * dilation + 1;
        long room = (long) input + padHead + padTail - span;
        operation.require(input == 0 || room >= 0, "filter span", span, "<= padded input, " + ((long) input + padHead + padTail));
        int output = room < 0 ? 0 : (int) (room / stride + 1);
        return new WindowAxis(input, filter, stride, dilation, padHead, output);
    }

    /** Padding given as a code, {@link #SAME} or {@link #VALID}. */
    public static WindowAxis implicit(OperationContext operation, int input, int filter, int stride, int dilation, int paddingCode) {
        check(operation, filter, stride, dilation);
        operation.require(paddingCode == SAME || paddingCode == VALID, "padding code", paddingCode, "1 (same) or 2 (valid)");
        if (paddingCode == VALID) {
            return explicit(operation, input, filter, stride, dilation, 0, 0);
        }
        long output = ((long) input + stride - 1) / stride;
        long needed = (output - 1) * stride + (filter - 1L) * dilation + 1;
        int padding = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(0, needed - input));
        return new WindowAxis(input, filter, stride, dilation, padding / 2, (int) output);
    }

    private static void check(OperationContext operation, int filter, int stride, int dilation) {
        operation.require(filter >= 1, "filter size", filter, ">= 1");
        operation.require(stride >= 1, "stride", stride, ">= 1");
        operation.require(dilation >= 1, "dilation", dilation, ">= 1");
    }

    /** The input index under tap 0 for output {@code index}; may be negative or past the input. */
    public int start(int index) {
        return index * stride - padHead;
    }
}
