package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * Brings bytes that the caller says have another scale or zero point than the model's operand to the operand's. The
 * specification wants them alike; PyTorch gives the tensor's own, and expects the numbers that they stand for.
 */
final class Requantizer {
    private static final int BYTE_VALUES = 256;

    private final ByteBuffer from;
    private final ByteBuffer to;
    /** By a byte's bits, what it becomes. */
    private final byte[] table = new byte[BYTE_VALUES];

    private Requantizer(OperandDescriptor operand, float scale, int zeroPoint, ByteBuffer from) {
        this.from = from;
        to = ByteBuffer.allocateDirect(from.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        boolean signed = operand.type() != OperandType.TENSOR_QUANT8_ASYMM;
        int low = signed ? Byte.MIN_VALUE : 0;
        int high = signed ? Byte.MAX_VALUE : BYTE_VALUES - 1;
        for (int bits = 0; bits < BYTE_VALUES; bits++) {
            int stored = signed ? (byte) bits : bits;
            double steps = (double) (stored - zeroPoint) * scale / operand.scale();
            table[bits] = (byte) Math.max(low, Math.min(high, Math.rint(steps) + operand.zeroPoint()));
        }
    }

    /** What brings an input to its operand's scale; null where it has it already, or is not made of bytes with one. */
    static Requantizer of(OperandDescriptor operand, float scale, int zeroPoint, ByteBuffer from) {
        boolean bytes = operand.type() == OperandType.TENSOR_QUANT8_ASYMM
                || operand.type() == OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
        boolean alike = scale == operand.scale() && zeroPoint == operand.zeroPoint();
        return from == null || !bytes || alike || !(scale > 0) || Float.isInfinite(scale)
                ? null
                : new Requantizer(operand, scale, zeroPoint, from);
    }

    /** What the execution reads. */
    ByteBuffer result() {
        return to;
    }

    /** Reads the caller's bytes as they are now. */
    void run() {
        for (int i = 0; i < to.capacity(); i++) {
            to.put(i, table[from.get(i) & 0xFF]);
        }
    }
}
