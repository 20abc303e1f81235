package org.torchnnapi.converter.lower;

/** Activations that NNAPI operations can apply to their result; NNAPI's numbers. */
final class FuseCode {
    static final int NONE = 0;
    static final int RELU = 1;

    private FuseCode() {
    }
}
