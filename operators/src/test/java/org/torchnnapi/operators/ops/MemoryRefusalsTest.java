package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.tensor;

import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What operators keep beside elements, such as places and orders, is asked for before it is made, whatever few bytes
 * the arguments are; and what no memory bounds ends.
 */
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

    /** Views are small, but so many of them fill every heap. */
    @Test
    void partsOfATensor() {
        Tensor x = repeated((int) MOST);
        refused("split.Tensor", x, 1L);
        refused("unsafe_split.Tensor", x, 1L);
        refused("unbind.int", x);
        refused("chunk", x, MOST);
        refused("chunk", Tensor.zeros(DType.FLOAT32, 0), Long.MAX_VALUE);
        refused("tensor_split.sections", x, MOST);
        refused("tensor_split.sections", x, Long.MAX_VALUE);
        refused("unique_dim", repeated(40_000, 50_000), 0L);
        refused("unique_dim", repeated((int) MOST, 1), 0L);
        refused("linalg_svd", repeated(1, (int) MOST, 1, 1));
        refused("linalg_qr", repeated(40_000, 50_000));
        // What does fit is given.
        assertEquals(
                2,
                ((ScriptList) Op.call("split.Tensor", x, 1_500_000_000L))
                        .items()
                        .size());
        assertEquals(
                100_000,
                ((ScriptList) Op.call("chunk", Tensor.zeros(DType.FLOAT32, 0), 100_000L))
                        .items()
                        .size());
        assertEquals(
                2_000_000,
                ((ScriptList) Op.call("tensor_split.sections", Tensor.zeros(DType.FLOAT32, 3), 2_000_000L))
                        .items()
                        .size());
    }

    /** Elements that lie at one place are as many as sizes say, and nothing else bounds them. */
    @ParameterizedTest
    @ValueSource(strings = {"sum", "mean", "sum.dim_IntList", "fill_.Scalar", "native_layer_norm", "native_batch_norm"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void walksOverRepeatedElementsEndWithAnInterrupt(String name) {
        Tensor x = repeated((int) MOST, 1);
        Object[] arguments = switch (name) {
            case "sum.dim_IntList" -> new Object[] {repeated(1 << 15, 1 << 15, 1), ints(0, 1)};
            case "fill_.Scalar" -> new Object[] {repeated((int) MOST, (int) MOST), 3L};
            case "native_layer_norm" -> new Object[] {x, ints(MOST, 1), null, null, 1e-5};
            case "native_batch_norm" -> new Object[] {x, null, null, null, null, true, 0.1, 1e-5};
            default -> new Object[] {x};
        };
        Thread.currentThread().interrupt();
        try {
            assertThrows(CancellationException.class, () -> Op.call(name, arguments));
        } finally {
            Thread.interrupted();
        }
    }

    /** A number of columns that no argument bounds. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void loopsOfComposedOperatorsEndWithAnInterrupt() {
        Thread.currentThread().interrupt();
        try {
            assertThrows(
                    CancellationException.class,
                    () -> tensor("vander", Tensor.of(DType.FLOAT32, new float[] {1}, 1), MOST));
        } finally {
            Thread.interrupted();
        }
    }
}
