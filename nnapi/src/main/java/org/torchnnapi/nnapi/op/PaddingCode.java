package org.torchnnapi.nnapi.op;

import org.torchnnapi.tensor.WindowAxis;

/** The two ways to pad an image that operations name by a code, as NeuralNetworks.h does. */
public final class PaddingCode {
    /** Pad so that the output has {@code ceil(input / stride)} elements, the odd zero at the tail. */
    public static final int SAME = 1;
    /** No padding. */
    public static final int VALID = 2;

    private PaddingCode() {}

    /**
     * The window along one axis.
     *
     * @throws IllegalArgumentException if there is no such code, or no such window
     */
    public static WindowAxis window(int code, int input, int taps, int stride, int dilation) {
        return switch (code) {
            case SAME -> WindowAxis.same(input, taps, stride, dilation);
            case VALID -> WindowAxis.of(input, taps, stride, dilation, 0, 0);
            default ->
                throw new IllegalArgumentException("padding code: " + code + " (expected: 1 (same) or 2 (valid))");
        };
    }
}
