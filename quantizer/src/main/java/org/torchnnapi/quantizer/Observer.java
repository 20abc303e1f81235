package org.torchnnapi.quantizer;

/**
 * Watches the values of one activation over the calibration inputs and says which range of them 256 steps are to cover.
 */
interface Observer {
    /** @param values finite, in any order */
    void observe(float[] values);

    /** The range after at least one value was observed; 0 need not lie in it. */
    Range range();

    /** Lowest and highest value to tell apart. */
    record Range(float min, float max) {}
}
