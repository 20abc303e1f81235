package org.torchnnapi.tensor;

/** Order of a tensor's dimensions in memory, with the number TorchScript writes for it (c10/core/MemoryFormat.h). */
public enum MemoryFormat {
    /** Row-major: the last dimension is densest. */
    CONTIGUOUS(0),
    /** Keep the strides of the input where they are dense. */
    PRESERVE(1),
    /** NCHW dimensions stored as NHWC. */
    CHANNELS_LAST(2),
    /** NCDHW dimensions stored as NDHWC. */
    CHANNELS_LAST_3D(3);

    private final int code;

    MemoryFormat(int code) {
        this.code = code;
    }

    /** Its number in PyTorch's files and operators. */
    public int code() {
        return code;
    }

    /** @throws IllegalArgumentException if no format has that number */
    public static MemoryFormat ofCode(long code) {
        for (MemoryFormat format : values()) {
            if (format.code == code) {
                return format;
            }
        }
        throw new IllegalArgumentException("memory format code: " + code + " (expected: 0 to 3)");
    }
}
