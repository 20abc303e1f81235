package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.FloatRecurrent.Strides;

/** A recurrent layer ready to run. */
public interface RecurrentKernel {
    /**
     * Runs some sequences of the batch forward; negative steps go back in time.
     *
     * @param first        the first sequence, as the strides count; states begin with it
     * @param sequences    at most {@link org.torchnnapi.kernels.FloatRecurrent#SEQUENCES}
     */
    void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int first, int sequences, float[] hidden, int hiddenOffset,
             float[] cells, int cellOffset);
}
