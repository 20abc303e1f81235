package org.torchnnapi.converter.model;

/** Activations that NNAPI operations can apply to their result; NNAPI's numbers. */
public final class FuseCode {
    public static final int NONE = 0;
    public static final int RELU = 1;
    /** From -1 to 1. */
    public static final int RELU1 = 2;
    /** From 0 to 6. */
    public static final int RELU6 = 3;

    private FuseCode() {}
}
