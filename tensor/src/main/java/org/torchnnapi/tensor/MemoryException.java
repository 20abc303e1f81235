package org.torchnnapi.tensor;

/**
 * There is no room in the heap for a tensor, for what an operator keeps meanwhile, or for what compiled code computes
 * in; or it would take more than {@link MemoryLimit} allows. What was there before is as it was.
 */
public final class MemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param wanted what there is no room for, with its size */
    public MemoryException(String wanted, Throwable cause) {
        super(
                wanted + " (expected: at most what the heap has left, " + left() + " of "
                        + Runtime.getRuntime().maxMemory()
                        + " bytes; give smaller inputs, or start Java with a larger heap, such as -Xmx8g)",
                cause);
    }

    private MemoryException(String message) {
        super(message);
    }

    static MemoryException overLimit(String refusal) {
        return new MemoryException(refusal);
    }

    /** Bytes of the heap that nothing has taken; what is garbage counts as taken. */
    public static long left() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }
}
