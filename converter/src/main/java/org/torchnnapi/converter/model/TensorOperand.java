package org.torchnnapi.converter.model;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * An NNAPI operand under construction, described in PyTorch's terms.
 *
 * @param shape PyTorch sizes; those that may differ in every run are not positive
 * @param layout how the operand's own dimensions follow from {@code shape}
 * @param scale quantization step, 0 where the type has none; double as in PyTorch, narrowed when written
 * @param zeroPoint integer that stands for 0.0
 */
public record TensorOperand(OperandType type, int[] shape, OperandLayout layout, double scale, int zeroPoint) {
    public TensorOperand {
        shape = shape.clone();
    }

    /** The sizes; a copy. */
    @Override
    public int[] shape() {
        return shape.clone();
    }

    public int rank() {
        return shape.length;
    }

    public int size(int dimension) {
        return shape[dimension];
    }

    public boolean isFixed(int dimension) {
        return shape[dimension] > 0;
    }

    public boolean isFixed() {
        return Arrays.stream(shape).allMatch(size -> size > 0);
    }

    public boolean isQuantized() {
        return type == OperandType.TENSOR_QUANT8_ASYMM
                || type == OperandType.TENSOR_QUANT16_SYMM
                || type == OperandType.TENSOR_QUANT16_ASYMM;
    }

    public TensorOperand withShape(int... newShape) {
        return new TensorOperand(type, newShape, layout, scale, zeroPoint);
    }

    public TensorOperand withLayout(OperandLayout newLayout) {
        return new TensorOperand(type, shape, newLayout, scale, zeroPoint);
    }

    public TensorOperand withType(OperandType newType, double newScale, int newZeroPoint) {
        return new TensorOperand(newType, shape, layout, newScale, newZeroPoint);
    }

    public TensorOperand withQuantization(double newScale, int newZeroPoint) {
        return new TensorOperand(type, shape, layout, newScale, newZeroPoint);
    }

    /** For reports, for example {@code float32[1, 3, ?, ?] NHWC}; ? is a flexible size. */
    public String text() {
        String name = switch (type) {
            case TENSOR_FLOAT32 -> "float32";
            case TENSOR_INT32 -> "int32";
            case TENSOR_QUANT8_ASYMM -> "quint8";
            case TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM -> "int16";
            default -> type.name();
        };
        return name
                + Arrays.stream(shape)
                        .mapToObj(size -> size > 0 ? String.valueOf(size) : "?")
                        .collect(Collectors.joining(", ", "[", "]"))
                + layout.text();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorOperand o
                && type == o.type
                && layout == o.layout
                && scale == o.scale
                && zeroPoint == o.zeroPoint
                && Arrays.equals(shape, o.shape);
    }

    @Override
    public int hashCode() {
        return type.hashCode() * 31 + Arrays.hashCode(shape);
    }

    @Override
    public String toString() {
        return text();
    }
}
