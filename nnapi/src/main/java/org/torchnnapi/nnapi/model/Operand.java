package org.torchnnapi.nnapi.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One operand of a finished model: immutable, though a CONSTANT_REFERENCE value still lives in the caller's memory.
 *
 * @param value the constant's bytes, little-endian and densely packed; null unless the lifetime is constant
 * @param referenced the model a SUBGRAPH operand stands for, else null
 */
public record Operand(OperandDescriptor descriptor, Lifetime lifetime, ByteBuffer value, Model referenced) {
    public OperandType type() {
        return descriptor.type();
    }

    /** A read-only little-endian view of the constant's bytes at position 0, or null. */
    @Override
    public ByteBuffer value() {
        return value == null ? null : value.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return descriptor + " " + lifetime;
    }
}
