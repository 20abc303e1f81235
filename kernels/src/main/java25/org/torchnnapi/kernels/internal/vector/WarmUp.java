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
    private static final int WIDEN = DENSE_KINDS + DepthwiseKernel.KINDS;
    private static final int HALF_EVEN = WIDEN + 1;
    private static final int FIXED_POINT = WIDEN + 2;
    private static final int WANTED = 1;

    /** By kind, dense ones first: 0, or {@link #WANTED} once its thread has started. */
    private static final AtomicIntegerArray STATES = new AtomicIntegerArray(FIXED_POINT + 1);
    private static final boolean[] READY = new boolean[FIXED_POINT + 1];

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

    /** Whether {@link ByteLanes#widen} is fast; if not, sees to it. */
    static boolean isWidenReady() {
        return EAGER || READY[WIDEN] || want(WIDEN);
    }

    /** Whether {@link ByteLanes#fixedPoint} or {@link ByteLanes#halfEven} is fast; if not, sees to it. */
    static boolean isNarrowReady(boolean fixedPoint) {
        int index = fixedPoint ? FIXED_POINT : HALF_EVEN;
        return EAGER || READY[index] || want(index);
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
        byte[] bytes = new byte[8 * V];
        int[] ints = new int[V];
        long[] longs = new long[V];
        long started = System.nanoTime();
        while (System.nanoTime() - started < PATIENCE_NANOS) {
            long batch = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                if (index < DENSE_KINDS) {
                    TileKernel.run(index, data, 0, taps, data, 0, data, 0, data, 0, data, 0, 2 * V, V, 0, 0);
                } else if (index == WIDEN) {
                    ByteLanes.widen(bytes, 0, V, (byte) 0, 0, data, 0, 8);
                } else if (index == HALF_EVEN) {
                    ByteLanes.halfEven(data, 0, V, data, 0, 0, 0, 0, bytes, 0, V, 8);
                } else if (index == FIXED_POINT) {
                    ByteLanes.fixedPoint(data, 0, V, longs, ints, ints, 0, 0, 0, 0, bytes, 0, V, 8);
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
