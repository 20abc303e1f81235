package org.pytorch;

/** What runs a {@link Module}. */
interface INativePeer {
    /** Gives up everything that is held; the peer is not used afterwards. */
    void resetNative();

    IValue forward(IValue... inputs);

    IValue runMethod(String methodName, IValue... inputs);
}
