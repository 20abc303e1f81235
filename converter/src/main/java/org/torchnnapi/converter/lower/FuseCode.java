package org.torchnnapi.converter.lower;

/** Activations that NNAPI operations can apply to their result; NNAPI's numbers. */
public final class FuseCode {
    public static final int NONE = 0;
    public static final int RELU = 1;

    private FuseCode() {
    }
}
