package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.tensor;

import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;

/** What operators keep beside elements, such as places and orders, is asked for before it is made, whatever few bytes the arguments are. */
class MemoryRefusalsTest {
    private static final long MOST = 2_000_000_000L;

    private static void refused(String name, Object... arguments) {
        MemoryException e = assertThrows(MemoryException.class, () -> tensor(name, arguments), name);
        assertNull(e.getCause(), "an error that was met, not foreseen");
    }

    /** One element in memory. */
    private static Tensor repeated(int... sizes) {
        return Tensor.of(new float[] {1}, 1).asStrided(sizes, new int[sizes.length], 0);
    }

    @Test
    void ordersOfElements() {
        refused("randperm", MOST);
        refused("repeat_interleave.Tensor", longs(MOST));
        refused("repeat_interleave.Tensor", longs(MOST, MOST));
        refused("roll", repeated((int) MOST), ints(1), ints(0));
        refused("combinations", repeated(100_000));
        refused("combinations", repeated(100_000), 3L, true);
    }

    @Test
    void masksAndCounts() {
        refused("tril", repeated(100_000, 100_000));
        refused("triu", repeated((int) MOST, 1));
        refused("bincount", longs(1), null, MOST);
        refused("hann_window", MOST);
        refused("kaiser_window", MOST);
    }

    /** A number of columns that no argument bounds. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void loopsOfComposedOperatorsEndWithAnInterrupt() {
        Thread.currentThread().interrupt();
        try {
            assertThrows(CancellationException.class, () -> tensor("vander", Tensor.of(DType.FLOAT32, new float[] {1}, 1), MOST));
        } finally {
            Thread.interrupted();
        }
    }
}
