package org.torchnnapi.nnapi.model;

/**
 * An operation that an extension defines.
 *
 * @param extension the extension's name, such as {@code com.example.my_extension}
 * @param code of the operation within the extension, of 16 bits
 */
public record ExtensionCode(String extension, int code) {
    private static final int MAX_CODE = 0xFFFF;

    /** @throws NnapiException BAD_DATA if name or code are none that an extension may have */
    public ExtensionCode {
        check(extension, code);
    }

    static void check(String extension, int code) {
        if (extension == null || extension.isEmpty()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "extension: " + (extension == null ? "null" : "no name")
                            + " (expected: a name such as com.example.own)");
        }
        if (code < 0 || code > MAX_CODE) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "code in extension " + extension + ": " + code + " (expected: 0 to " + MAX_CODE + ")");
        }
    }

    @Override
    public String toString() {
        return extension + "." + code;
    }
}
