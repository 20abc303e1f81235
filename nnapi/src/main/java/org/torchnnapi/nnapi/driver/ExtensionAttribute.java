package org.torchnnapi.nnapi.driver;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * What a caller says of a compilation or an execution beyond the specification, as an extension defines it: a setting,
 * a hint. Immutable.
 */
public final class ExtensionAttribute {
    private final ExtensionCode code;
    private final byte[] data;

    /**
     * @param code of the attribute, within its extension
     * @param data copied; null for none
     */
    public ExtensionAttribute(ExtensionCode code, byte[] data) {
        this.code = Objects.requireNonNull(code, "code");
        this.data = data == null ? new byte[0] : data.clone();
    }

    public ExtensionCode code() {
        return code;
    }

    /** A copy, empty where there is none. */
    public byte[] data() {
        return data.clone();
    }

    /** The attribute of a code, null where it is not among some. */
    public static ExtensionAttribute find(ExtensionCode code, List<ExtensionAttribute> attributes) {
        return attributes.stream()
                .filter(attribute -> attribute.code.equals(code))
                .findFirst()
                .orElse(null);
    }

    /**
     * Refuses one that a device does not know, or that is given already.
     *
     * @param only the device that a compilation was made for, null where there are several or the runtime chooses
     * @throws NnapiException BAD_DATA
     */
    public void requireFor(Driver only, List<ExtensionAttribute> given) {
        if (only == null) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "attribute " + code + ": of a compilation for any or several devices (expected: made for one)");
        }
        if (!only.hasExtension(code.extension())) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "attribute " + code + ": device " + only.name()
                            + " has not its extension (expected: one that it has)");
        }
        if (find(code, given) != null) {
            throw new NnapiException(ResultCode.BAD_DATA, "attribute " + code + ": given twice (expected: once)");
        }
    }

    @Override
    public String toString() {
        return code + " " + Arrays.toString(data);
    }
}
