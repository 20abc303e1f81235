package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.FloatRecurrent.Strides;

/**
 * A recurrent layer ready to run: some steps' inputs are multiplied by their weights at once, which needs no step
 * before, then the steps are done one after the other. Sums and states are laid out as the kernel likes; threads that
 * share a step share them.
 */
public interface RecurrentKernel {
    /** Shares that the hidden units can be cut into. */
    int blocks();

    /**
     * Steps of that many sequences, at most {@link org.torchnnapi.kernels.FloatRecurrent#SEQUENCES}, whose inputs are
     * best taken at once: even.
     */
    int together(int sequences);

    /** Floats for the gates' sums over the inputs of so many steps. */
    int sumsSize(int steps, int sequences);

    /** Floats for the states between steps. */
    int stateSize(int sequences);

    /** Takes over the outputs before the first step {@code [sequences][hidden]} and an LSTM's cells, likewise. */
    void load(float[] state, int sequences, float[] hidden, int hiddenOffset, float[] cells, int cellOffset);

    /** Gives back the outputs of the last of so many steps and an LSTM's cells. */
    void store(
            float[] state, int sequences, int steps, float[] hidden, int hiddenOffset, float[] cells, int cellOffset);

    /**
     * The gates' sums over the inputs of some blocks.
     *
     * @param inAt where the first step's inputs are; a negative step goes back in time
     */
    void project(float[] in, Strides inAt, int steps, int sequences, float[] sums, int firstBlock, int endBlock);

    /**
     * Does the steps [firstStep, endStep) of those that have sums, the first of which comes after an even number of
     * steps; of some blocks one step, the others of which are done before the next step begins.
     *
     * @param outAt where the outputs of the first step that has sums go; a negative step goes back in time
     */
    void steps(
            float[] sums,
            float[] out,
            Strides outAt,
            int sequences,
            float[] state,
            int firstStep,
            int endStep,
            int firstBlock,
            int endBlock);
}
