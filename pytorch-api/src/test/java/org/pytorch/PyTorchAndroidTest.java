package org.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.torchnnapi.engine.CpuThreads;

class PyTorchAndroidTest {
    @Test
    void threadsAreSetForTheProcess() {
        int before = CpuThreads.count();
        try {
            PyTorchAndroid.setNumThreads(3);
            assertEquals(3, CpuThreads.count());
            assertEquals(
                    "Number of threads cannot be less than 1",
                    assertThrows(IllegalArgumentException.class, () -> PyTorchAndroid.setNumThreads(0))
                            .getMessage());
            assertEquals(3, CpuThreads.count());
        } finally {
            PyTorchAndroid.setNumThreads(before);
        }
    }
}
