package org.torchnnapi.c;

import java.nio.ByteBuffer;

/** What the library does for this side; it registers these methods when it loads the class. */
final class Native {
    private Native() {}

    /** A buffer over memory of the caller's, at most 2 GiB. */
    static native ByteBuffer buffer(long address, long length);

    /** Unmaps whole pages. */
    static native void unmap(long address, long length);

    /** Unlocks and releases a hardware buffer. */
    static native void releaseHardwareBuffer(long hardwareBuffer);

    /** Waits until a fence is signalled: 0 if well, else it stands for a failure. */
    static native int awaitFence(int descriptor);

    /**
     * A fence not yet signalled: the descriptor to wait on in the lower half, the one to signal it by in the upper; -1
     * if none can be had.
     */
    static native long createFence();

    /** Signals a fence and closes the descriptor it was signalled by, where that means a failure. */
    static native void signalFence(int descriptor, boolean well);

    /** A second descriptor for the same, -1 if none can be had. */
    static native int duplicate(int descriptor);

    static native void close(int descriptor);
}
