package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.FloatRecurrent.Strides;

/** A recurrent layer ready to run. */
public interface RecurrentKernel {
    /** What the steps of some sequences need, laid out as the kernel likes; may be larger. Threads that share a step share it. */
    record Room(float[] sums, float[] state) {
    }

    /** Shares that the hidden units can be cut into. */
    int blocks();

    /** Floats of a room's sums for that many sequences, at most {@link org.torchnnapi.kernels.FloatRecurrent#SEQUENCES}. */
    int sumsSize(int sequences);

    /** The same of its states. */
    int stateSize(int sequences);

    /** Takes over the outputs before the first step {@code [sequences][hidden]} and an LSTM's cells, likewise. */
    void load(Room room, int sequences, float[] hidden, int hiddenOffset, float[] cells, int cellOffset);

    /** Gives back the outputs of the last of so many steps and an LSTM's cells. */
    void store(Room room, int sequences, int steps, float[] hidden, int hiddenOffset, float[] cells, int cellOffset);

    /**
     * Does the steps [firstStep, endStep) of all; of some blocks one step, the others of which are done before the next step begins.
     *
     * @param inAt where the sequences' inputs are; negative steps go back in time; likewise {@code outAt}
     */
    void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int sequences, Room room, int firstStep, int endStep, int firstBlock,
             int endBlock);
}
