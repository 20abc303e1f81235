package org.pytorch;

import org.torchnnapi.engine.CpuThreads;

/** Settings of the whole process. */
public final class PyTorchAndroid {
    private PyTorchAndroid() {}

    /**
     * Sets the number of threads that all modules compute with.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public static void setNumThreads(int numThreads) {
        if (numThreads < 1) {
            throw new IllegalArgumentException("Number of threads cannot be less than 1");
        }
        CpuThreads.set(numThreads);
    }
}
