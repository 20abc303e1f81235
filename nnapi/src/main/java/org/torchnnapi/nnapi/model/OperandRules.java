package org.torchnnapi.nnapi.model;

/** What the specification demands of a single operand. */
final class OperandRules {
    /** Lengths are 32-bit in the specification's interface. */
    private static final long MAX_BYTES = 0xFFFFFFFFL;

    private static final int MAX_RANK = 64;

    private OperandRules() {}

    static void checkDescriptor(OperandDescriptor operand, int index) {
        if (operand == null) {
            throw new NnapiException(ResultCode.UNEXPECTED_NULL, "operand " + index + ": null");
        }
        OperandType type = operand.type();
        if (type == null) {
            throw new NnapiException(ResultCode.UNEXPECTED_NULL, "operand " + index + ": type: null");
        }
        if (!type.isTensor() && operand.rank() != 0) {
            throw bad(operand, index, "rank: " + operand.rank() + " (expected: 0 for " + type + ")");
        }
        if (operand.rank() > MAX_RANK) {
            throw bad(operand, index, "rank: " + operand.rank() + " (expected: <= " + MAX_RANK + ")");
        }
        for (int i = 0; i < operand.rank(); i++) {
            if (operand.dimension(i) < 0) {
                throw bad(operand, index, "dimension " + i + ": " + operand.dimension(i) + " (expected: >= 0)");
            }
        }
        if (operand.byteCount() > MAX_BYTES) {
            throw bad(operand, index, "bytes: " + operand.byteCount() + " (expected: <= " + MAX_BYTES + ")");
        }
        checkQuantization(operand, index);
        if (operand.channelQuantization() != null) {
            checkChannels(operand, operand.channelQuantization(), index);
        }
    }

    private static void checkQuantization(OperandDescriptor operand, int index) {
        OperandType type = operand.type();
        float scale = operand.scale();
        boolean scaled = switch (type) {
            case TENSOR_QUANT8_ASYMM,
                    TENSOR_QUANT8_ASYMM_SIGNED,
                    TENSOR_QUANT8_SYMM,
                    TENSOR_QUANT16_ASYMM,
                    TENSOR_QUANT16_SYMM -> true;
            default -> false;
        };
        if (scaled
                ? !(scale > 0f) || Float.isInfinite(scale)
                : type == OperandType.TENSOR_INT32 ? !(scale >= 0f) || Float.isInfinite(scale) : scale != 0f) {
            throw bad(
                    operand,
                    index,
                    "scale: " + scale + " (expected: "
                            + (scaled ? "> 0" : type == OperandType.TENSOR_INT32 ? ">= 0" : "0") + ")");
        }
        boolean offset = type == OperandType.TENSOR_QUANT8_ASYMM
                || type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED
                || type == OperandType.TENSOR_QUANT16_ASYMM;
        int low = offset ? type.element().min() : 0;
        int high = offset ? type.element().max() : 0;
        if (operand.zeroPoint() < low || operand.zeroPoint() > high) {
            throw bad(
                    operand,
                    index,
                    "zeroPoint: " + operand.zeroPoint() + " (expected: " + (low == high ? "0" : low + " to " + high)
                            + ")");
        }
    }

    static void checkChannels(OperandDescriptor operand, ChannelQuantization channels, int index) {
        if (operand.type() != OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL) {
            throw bad(
                    operand,
                    index,
                    "channel scales on " + operand.type() + " (expected: TENSOR_QUANT8_SYMM_PER_CHANNEL)");
        }
        if (channels.channelDim() < 0 || channels.channelDim() >= operand.rank()) {
            throw bad(
                    operand,
                    index,
                    "channelDim: " + channels.channelDim() + " (expected: 0 to " + (operand.rank() - 1) + ")");
        }
        int size = operand.dimension(channels.channelDim());
        if (size == 0) {
            throw bad(
                    operand,
                    index,
                    "dimension " + channels.channelDim() + ": 0 (expected: known, as it has a scale an index)");
        }
        if (channels.channels() != size) {
            throw bad(
                    operand,
                    index,
                    "scales: " + channels.channels() + " (expected: " + size + ", the size of dimension "
                            + channels.channelDim() + ")");
        }
        for (int i = 0; i < size; i++) {
            float scale = channels.scale(i);
            if (!(scale > 0f) || Float.isInfinite(scale)) {
                throw bad(operand, index, "scale of channel " + i + ": " + scale + " (expected: > 0)");
            }
        }
    }

    static void checkConstantLength(OperandDescriptor operand, long length, int index) {
        if (operand.type() == OperandType.SUBGRAPH) {
            throw bad(operand, index, "a value for SUBGRAPH (expected: setOperandValueFromModel)");
        }
        if (!operand.isFullySpecified()) {
            throw bad(operand, index, "a constant of unknown dimensions (expected: all dimensions known)");
        }
        // What a vendor's scalar takes, only the vendor's device knows.
        if (operand.type() != OperandType.OEM_SCALAR && length != operand.byteCount()) {
            throw bad(operand, index, "length: " + length + " (expected: " + operand.byteCount() + " bytes)");
        }
    }

    private static NnapiException bad(OperandDescriptor operand, int index, String message) {
        return new NnapiException(ResultCode.BAD_DATA, "operand " + index + " " + operand.type() + ": " + message);
    }
}
