package org.torchnnapi.execution.interp;

/** Does the steps of regions at once where it can. Called by all threads that run programs. */
public interface RegionRunner {
    /** What became of a region. */
    enum Outcome {
        /** Its results are in their slots. */
        RAN,
        /** Nothing was done, but the region was divided: what begins at its place now may be asked for. */
        DIVIDED,
        /** Nothing was done: its first step is to run as usual. */
        LEFT
    }

    /** @param slots of the program, with the region's inputs */
    Outcome run(Region region, Object[] slots);

    /** Whether steps outside of regions are to be measured. */
    boolean measures();

    /** @param nanos that an operator outside of regions took */
    void measured(String operator, long nanos);
}
