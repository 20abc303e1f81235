package org.torchnnapi.nnapi.driver;

/** Something that has happened, or will: the end of an execution, or what another program signals. Thread-safe. */
public interface Fence {
    /** What has happened already. */
    Fence SIGNALED = new Fence() {
        @Override
        public void await() {}

        @Override
        public boolean isSignaled() {
            return true;
        }
    };

    /**
     * Waits until it has happened.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException what went wrong with it, or OP_FAILED if the wait was
     *     interrupted
     */
    void await();

    /** Whether {@link #await} would not wait. */
    boolean isSignaled();

    /**
     * A new file descriptor that becomes readable when it has happened, for whoever asks to close; -1 where there is
     * none.
     */
    default int export() {
        return -1;
    }
}
