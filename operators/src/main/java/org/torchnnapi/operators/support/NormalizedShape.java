package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** The last dimensions of a tensor that are normalized together. */
public final class NormalizedShape {
    private NormalizedShape() {}

    /**
     * How many elements are normalized together.
     *
     * @param weight of that shape, or null
     * @param bias of that shape, or null
     * @throws IllegalArgumentException unless the input ends in the shape, and the others have it
     */
    public static int count(Tensor input, int[] shape, Tensor weight, Tensor bias) {
        String text = Arrays.toString(shape);
        if (shape.length == 0) {
            throw new IllegalArgumentException(
                    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
                            + "but got normalized_shape = " + text);
        }
        requireSame("weight", weight, shape);
        requireSame("bias", bias, shape);
        int lead = input.rank() - shape.length;
        if (lead < 0 || !Arrays.equals(Arrays.copyOfRange(input.sizes(), lead, input.rank()), shape)) {
            throw new IllegalArgumentException("Given normalized_shape=" + text + ", expected input with shape [*, "
                    + text.substring(1) + ", but got input of size" + Arrays.toString(input.sizes()));
        }
        return Math.toIntExact(Shape.numel(shape));
    }

    private static void requireSame(String name, Tensor t, int[] shape) {
        if (t != null && !Arrays.equals(t.sizes(), shape)) {
            throw new IllegalArgumentException(
                    "Expected " + name + " to be of same shape as normalized_shape, but got " + name + " of shape "
                            + Arrays.toString(t.sizes()) + " and normalized_shape = " + Arrays.toString(shape));
        }
    }
}
