package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Gets the vector tiles compiled on a thread of its own. Vector code runs some thousand times slower until it is compiled, which takes a
 * few hundred milliseconds of calls; a kind of tile that is wanted is first called here, over dummy data, until it is fast, and
 * meanwhile {@link PlainTiles} serve. Where compilation does not succeed within {@link #PATIENCE_NANOS}, they go on serving.
 */
final class WarmUp {
    /** System property that has the vector tiles used at once: for tests and measurements. */
    static final boolean EAGER = Boolean.getBoolean("torchnnapi.kernels.eager");

    private static final long PATIENCE_NANOS = 20_000_000_000L;
    /** A compiled tile of one tap takes a tenth of this, an interpreted one ten times as much. */
    private static final long FAST_NANOS = 4_000;
    private static final int BATCH = 200;
    private static final int DENSE_KINDS = 8;
    private static final int WANTED = 1;

    /** By kind, dense ones first: 0, or {@link #WANTED} once its thread has started. */
    private static final AtomicIntegerArray STATES = new AtomicIntegerArray(DENSE_KINDS + DepthwiseKernel.KINDS);
    private static final boolean[] READY = new boolean[DENSE_KINDS + DepthwiseKernel.KINDS];

    private WarmUp() {
    }

    /** Whether {@link TileKernel} is fast for that kind; if not, sees to it. */
    static boolean isDenseReady(int kind) {
        return EAGER || READY[kind] || want(kind);
    }

    /** Whether {@link DepthwiseKernel} is fast for that kind; if not, sees to it. */
    static boolean isDepthwiseReady(int kind) {
        return EAGER || READY[DENSE_KINDS + kind] || want(DENSE_KINDS + kind);
    }

    private static boolean want(int index) {
        if (STATES.get(index) == 0 && STATES.compareAndSet(index, 0, WANTED)) {
            Thread thread = new Thread(() -> warm(index), "torch-nnapi-kernels-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
        return false;
    }

    private static void warm(int index) {
        float[] data = new float[64 * V];
        int[] taps = new int[index < DENSE_KINDS ? 1 : 9];
        long started = System.nanoTime();
        while (System.nanoTime() - started < PATIENCE_NANOS) {
            long batch = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                if (index < DENSE_KINDS) {
                    TileKernel.run(index, data, 0, taps, data, 0, data, 0, data, 0, data, 0, 2 * V, V, 0, 0);
                } else {
                    DepthwiseKernel.run(index - DENSE_KINDS, data, 0, 0, taps, data, 0, data, 0, data, 0, 0, 0);
                }
            }
            if ((System.nanoTime() - batch) / BATCH < FAST_NANOS) {
                READY[index] = true;
                return;
            }
        }
    }
}
