package org.torchnnapi.nnapi.model;

import java.util.Arrays;
import java.util.Objects;

/**
 * What an operand is, apart from its value.
 *
 * <p>In a model a tensor without dimensions has unknown rank and a dimension of 0 is unknown until the execution. Once
 * an execution has computed the shape, 0 means empty.
 *
 * @param dimensions outermost first; empty, or null, for a scalar or an unknown rank
 * @param scale one quantization step in real units; 0 where the type has none
 * @param zeroPoint the element that stands for 0.0
 * @param channelQuantization for TENSOR_QUANT8_SYMM_PER_CHANNEL, else null
 * @param extension for a type of an extension, else null
 */
public record OperandDescriptor(
        OperandType type,
        int[] dimensions,
        float scale,
        int zeroPoint,
        ChannelQuantization channelQuantization,
        ExtensionOperand extension) {
    private static final int[] NONE = new int[0];

    public OperandDescriptor {
        if (type == null) {
            throw new NnapiException(
                    ResultCode.UNEXPECTED_NULL, "operand type: null (expected: one of the specification's)");
        }
        if (type.isExtension() != (extension != null)) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "extension of " + type + ": " + extension + " (expected: "
                            + (extension == null ? "one of its types" : "none but for types of extensions") + ")");
        }
        dimensions = dimensions == null || dimensions.length == 0 ? NONE : dimensions.clone();
    }

    /** An operand of a type that the specification defines. */
    public OperandDescriptor(
            OperandType type, int[] dimensions, float scale, int zeroPoint, ChannelQuantization channelQuantization) {
        this(type, dimensions, scale, zeroPoint, channelQuantization, null);
    }

    /** An operand of an extension's type, of these dimensions if it is a tensor's. */
    public static OperandDescriptor ofExtension(ExtensionType type, int... dimensions) {
        return new OperandDescriptor(
                type.isTensor() ? OperandType.EXTENSION_TENSOR : OperandType.EXTENSION_SCALAR,
                dimensions,
                0f,
                0,
                null,
                new ExtensionOperand(type, null));
    }

    /** A single value; its type is no tensor's. */
    public static OperandDescriptor scalar(OperandType type) {
        return new OperandDescriptor(type, NONE, 0f, 0, null);
    }

    /** A tensor that is not quantized; a dimension of 0 is not known yet, and no dimensions are an unknown rank. */
    public static OperandDescriptor tensor(OperandType type, int... dimensions) {
        return new OperandDescriptor(type, dimensions, 0f, 0, null);
    }

    /** A tensor quantized as a whole, or 32-bit sums with the scale of what they are sums of. */
    public static OperandDescriptor quantized(OperandType type, float scale, int zeroPoint, int... dimensions) {
        return new OperandDescriptor(type, dimensions, scale, zeroPoint, null);
    }

    /** A tensor of signed bytes with a scale for each channel. */
    public static OperandDescriptor perChannel(ChannelQuantization channels, int... dimensions) {
        return new OperandDescriptor(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, dimensions, 0f, 0, channels);
    }

    @Override
    public int[] dimensions() {
        return dimensions.length == 0 ? NONE : dimensions.clone();
    }

    /** How many dimensions it has; 0 for scalars, and for tensors of which not even that is known. */
    public int rank() {
        return dimensions.length;
    }

    /** The size of dimension {@code axis}, 0 when unknown. */
    public int dimension(int axis) {
        return dimensions[axis];
    }

    /** Whether the rank is known: always for a scalar. */
    public boolean hasRank() {
        return !type.isTensor() || dimensions.length > 0;
    }

    /** Whether rank and every dimension are known. */
    public boolean isFullySpecified() {
        if (!hasRank()) {
            return false;
        }
        for (int dimension : dimensions) {
            if (dimension == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The number of elements: 1 for a scalar, 0 when a dimension is unknown or empty; {@link Long#MAX_VALUE} when it is
     * past counting.
     */
    public long elementCount() {
        if (!hasRank()) {
            return 0;
        }
        long count = 1;
        for (int dimension : dimensions) {
            if (dimension == 0) {
                return 0;
            }
            count = count > Long.MAX_VALUE / dimension ? Long.MAX_VALUE : count * dimension;
        }
        return count;
    }

    /** Bytes of the value, 0 when not fully specified; {@link Long#MAX_VALUE} when it is past counting. */
    public long byteCount() {
        long count = elementCount();
        return count > Long.MAX_VALUE / Math.max(1, elementBytes()) ? Long.MAX_VALUE : count * elementBytes();
    }

    /** Bytes of one element; 0 for SUBGRAPH. */
    public int elementBytes() {
        return extension == null ? type.elementBytes() : extension.type().elementBytes();
    }

    /** The same elements in another shape. */
    public OperandDescriptor withDimensions(int... newDimensions) {
        return new OperandDescriptor(type, newDimensions, scale, zeroPoint, channelQuantization, extension);
    }

    /** The same with other data that its extension defines. */
    public OperandDescriptor withExtensionData(byte[] data) {
        return new OperandDescriptor(
                type, dimensions, scale, zeroPoint, channelQuantization, new ExtensionOperand(extension.type(), data));
    }

    /** The same with other scales of the channels. */
    public OperandDescriptor withChannelQuantization(ChannelQuantization channels) {
        return new OperandDescriptor(type, dimensions, scale, zeroPoint, channels, extension);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OperandDescriptor that
                && type == that.type
                && Arrays.equals(dimensions, that.dimensions)
                && Float.compare(scale, that.scale) == 0
                && zeroPoint == that.zeroPoint
                && Objects.equals(channelQuantization, that.channelQuantization)
                && Objects.equals(extension, that.extension);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * type.hashCode() + Arrays.hashCode(dimensions)) + Float.hashCode(scale)) + zeroPoint;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(extension == null ? type.name() : extension.toString());
        if (type.isTensor()) {
            text.append(Arrays.toString(dimensions));
        }
        if (scale != 0f) {
            text.append(" scale ").append(scale).append(" zeroPoint ").append(zeroPoint);
        }
        return text.toString();
    }
}
