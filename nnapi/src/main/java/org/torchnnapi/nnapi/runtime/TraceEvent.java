package org.torchnnapi.nnapi.runtime;

/**
 * One thing the runtime did.
 *
 * @param device that did it, or "" for the runtime itself
 * @param step number of the plan's step, -1 where it concerns the whole
 * @param startNanos on the scale of {@link System#nanoTime}
 * @param detail for reading, such as how many operations or why a step failed
 */
public record TraceEvent(Kind kind, String device, int step, long startNanos, long endNanos, String detail) {
    /** What was done. */
    public enum Kind {
        /** A model was divided among devices. */
        PARTITION,
        /** A device prepared a part of the model. */
        PREPARE,
        /** A prepared part came from the cache. */
        CACHE_HIT,
        /** A device ran a part of the model. */
        STEP,
        /** A step failed and the reference device finished it. */
        FALLBACK,
        /** An execution ran, from inputs to outputs. */
        EXECUTION
    }

    public long nanos() {
        return endNanos - startNanos;
    }
}
