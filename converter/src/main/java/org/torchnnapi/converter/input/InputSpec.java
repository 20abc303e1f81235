package org.torchnnapi.converter.input;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * What a conversion must know about one input of the model.
 *
 * @param dtype element type
 * @param shape sizes; 0 is set when the converted model is loaded, -1 may differ in every run
 * @param channelsLast whether NNAPI shall see the tensor as N, H, W, C; needs four dimensions
 * @param scale quantization step; 0 for types without one
 * @param zeroPoint integer that stands for 0.0
 */
public record InputSpec(DType dtype, int[] shape, boolean channelsLast, double scale, int zeroPoint) {
    /**
     * @throws IllegalArgumentException if a size is less than -1, the sizes make more than 2^31 - 1 elements, or the
     *     rest does not fit the type
     */
    public InputSpec {
        shape = shape.clone();
        double elements = 1;
        for (int size : shape) {
            if (size < -1) {
                throw new IllegalArgumentException("shape: " + Arrays.toString(shape)
                        + " (expected: sizes >= -1; 0 is flexible at load, -1 at run)");
            }
            elements *= Math.max(size, 1);
        }
        if (elements > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "shape: " + Arrays.toString(shape) + " (expected: at most " + Integer.MAX_VALUE + " elements)");
        }
        if (channelsLast && shape.length != 4) {
            throw new IllegalArgumentException(
                    "shape: " + Arrays.toString(shape) + " (expected: 4 dimensions for an NHWC input)");
        }
    }

    /** A plain tensor. */
    public static InputSpec of(DType dtype, int... shape) {
        return new InputSpec(dtype, shape, false, 0, 0);
    }

    /**
     * What a text describes: {@code float32[1,3,224,224]}, {@code quint8[1,3,224,224]@0.0078125,128} with scale and
     * zero point. Sizes of 0 are set at load, of -1 or {@code ?} at run; {@code :nhwc} behind it is a channels-last
     * input. Without a type it is float32; blanks count for nothing.
     *
     * @throws IllegalArgumentException if the text is of another form, or a number does not fit
     */
    public static InputSpec parse(String text) {
        return SpecText.parse(text);
    }

    /** Whether a text has the form that {@link #parse} takes, whatever its numbers are. */
    public static boolean isText(String text) {
        return SpecText.matches(text);
    }

    /** A quint8 tensor. */
    public static InputSpec quantized(double scale, int zeroPoint, int... shape) {
        return new InputSpec(DType.QUINT8, shape, false, scale, zeroPoint);
    }

    /**
     * Dtype, shape and quantization of an example; NHWC if the example is a feature map in channels-last order only.
     */
    public static InputSpec like(Tensor example) {
        boolean channelsLast =
                example.rank() == 4 && !example.isContiguous() && example.isContiguous(MemoryFormat.CHANNELS_LAST);
        double scale = example.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
        int zeroPoint = example.quantization() instanceof Quantization.PerTensor q ? q.zeroPoint() : 0;
        return new InputSpec(example.dtype(), example.sizes(), channelsLast, scale, zeroPoint);
    }

    /** The same input, given as N, H, W, C in memory. */
    public InputSpec asChannelsLast() {
        return new InputSpec(dtype, shape, true, scale, zeroPoint);
    }

    /** As {@link #parse} and the command's {@code --input} take it. */
    public String text() {
        String sizes = Arrays.stream(shape).mapToObj(Integer::toString).collect(Collectors.joining(","));
        return dtype.torchName() + "[" + sizes + "]" + (scale == 0 ? "" : "@" + scale + "," + zeroPoint)
                + (channelsLast ? ":nhwc" : "");
    }

    /** The sizes; a copy. */
    @Override
    public int[] shape() {
        return shape.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InputSpec o
                && dtype == o.dtype
                && Arrays.equals(shape, o.shape)
                && channelsLast == o.channelsLast
                && scale == o.scale
                && zeroPoint == o.zeroPoint;
    }

    @Override
    public int hashCode() {
        return 31 * dtype.hashCode() + Arrays.hashCode(shape);
    }

    @Override
    public String toString() {
        return dtype.torchName()
                + Arrays.toString(shape)
                + (channelsLast ? " NHWC" : "")
                + (scale != 0 ? " scale " + scale + " zero point " + zeroPoint : "");
    }
}
