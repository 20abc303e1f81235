package org.torchnnapi.nnapi.model;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What an operand of an extension's type is beside its dimensions: the type, and data about the operand that the
 * extension defines.
 */
public final class ExtensionOperand {
    private final ExtensionType type;
    private final byte[] data;

    /** @param data copied; null for none */
    public ExtensionOperand(ExtensionType type, byte[] data) {
        if (type == null) {
            throw new NnapiException(
                    ResultCode.UNEXPECTED_NULL, "extension type: null (expected: one that an extension defines)");
        }
        this.type = type;
        this.data = data == null ? null : data.clone();
    }

    public ExtensionType type() {
        return type;
    }

    /** A view for reading, or null where there are none. */
    public ByteBuffer data() {
        return data == null ? null : ByteBuffer.wrap(data).asReadOnlyBuffer();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ExtensionOperand that && type.equals(that.type) && Arrays.equals(data, that.data);
    }

    @Override
    public int hashCode() {
        return 31 * type.hashCode() + Arrays.hashCode(data);
    }

    /** With the data, as two operands are alike only if they are. */
    @Override
    public String toString() {
        return data == null ? type.toString() : type + Arrays.toString(data);
    }
}
