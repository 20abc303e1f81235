package org.torchnnapi.nnapi.model;

/**
 * A type of operands that an extension defines.
 *
 * @param extension the extension's name, such as {@code com.example.my_extension}
 * @param code of the type within the extension, of 16 bits
 * @param elementBytes bytes of one element, at least one; of a scalar all its bytes
 */
public record ExtensionType(String extension, int code, boolean isTensor, int elementBytes) {
    /** @throws NnapiException BAD_DATA if name, code or size are none that an extension may have */
    public ExtensionType {
        ExtensionCode.check(extension, code);
        if (elementBytes < 1) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "bytes of an element of " + extension + " type " + code + ": " + elementBytes
                            + " (expected: >= 1)");
        }
    }

    @Override
    public String toString() {
        return extension + "." + code;
    }
}
