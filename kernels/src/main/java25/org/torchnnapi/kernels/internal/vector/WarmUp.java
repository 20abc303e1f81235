package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Gets the vector loops compiled on a thread of its own. Vector code runs some thousand times slower until it is
 * compiled, which takes a few hundred milliseconds of calls; a kind of loop that is wanted is first called here, over
 * dummy data, until it is fast, and meanwhile {@link PlainTiles} and other plain loops serve. Where compilation does
 * not succeed within {@link #PATIENCE_NANOS}, they go on serving. One thread for all kinds, and one that waits once it
 * has called enough: on few processors it would keep the compiler from its work.
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
    private static final int ROUND_HALF_EVEN = WIDEN + 2;
    private static final int SUM = WIDEN + 3;
    private static final int QUANTIZE = WIDEN + 4;
    private static final int POOL_MAX = WIDEN + 5;
    private static final int POOL_SUM = WIDEN + 6;
    private static final int ALL = WIDEN + 7;
    /** Calls after which the compiler has a kind in its queue. */
    private static final int ENOUGH_CALLS = 10_000;

    private static final long PAUSE_NANOS = 2_000_000;

    private static final boolean[] READY = new boolean[ALL];
    /** By kind: 1 once it was wanted. */
    private static final AtomicIntegerArray WANTED = new AtomicIntegerArray(ALL);
    /** Those not ready yet; guarded by itself, as is the thread that calls them, if there are any. */
    private static final List<Kind> WAITING = new ArrayList<>();

    private static Thread thread;

    private WarmUp() {}

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

    /** Whether {@link ByteLanes#halfEven} is fast; if not, sees to it. */
    static boolean isNarrowReady() {
        return EAGER || READY[HALF_EVEN] || want(HALF_EVEN);
    }

    /** Whether {@link ByteLanes#roundHalfEven} is fast; if not, sees to it. */
    static boolean isRoundReady() {
        return EAGER || READY[ROUND_HALF_EVEN] || want(ROUND_HALF_EVEN);
    }

    /** Whether {@link ByteLanes#sum} is fast; if not, sees to it. */
    static boolean isSumReady() {
        return EAGER || READY[SUM] || want(SUM);
    }

    /** Whether {@link ByteLanes#quantize} is fast; if not, sees to it. */
    static boolean isQuantizeReady() {
        return EAGER || READY[QUANTIZE] || want(QUANTIZE);
    }

    /** Whether {@link ByteLanes#largest} or {@link ByteLanes#sums} is fast; if not, sees to it. */
    static boolean isPoolReady(boolean largest) {
        int index = largest ? POOL_MAX : POOL_SUM;
        return EAGER || READY[index] || want(index);
    }

    private static boolean want(int index) {
        if (WANTED.get(index) == 0 && WANTED.compareAndSet(index, 0, 1)) {
            synchronized (WAITING) {
                WAITING.add(new Kind(index));
                if (thread == null) {
                    thread = new Thread(WarmUp::warm, "torch-nnapi-kernels-warm-up");
                    thread.setDaemon(true);
                    thread.start();
                }
            }
        }
        return false;
    }

    private static void warm() {
        List<Kind> waiting = waiting();
        while (!waiting.isEmpty()) {
            boolean enough = true;
            for (Kind kind : waiting) {
                if (kind.isDone()) {
                    synchronized (WAITING) {
                        WAITING.remove(kind);
                    }
                }
                enough &= kind.calls >= ENOUGH_CALLS;
            }
            if (enough) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            waiting = waiting();
        }
    }

    /** What is to be called; if that is nothing, the thread ends. */
    private static List<Kind> waiting() {
        synchronized (WAITING) {
            if (WAITING.isEmpty()) {
                thread = null;
            }
            return List.copyOf(WAITING);
        }
    }

    /** A kind of loop under way. */
    private static final class Kind {
        private final int index;
        private final Runnable call;
        private final long started = System.nanoTime();
        private int calls;

        Kind(int index) {
            this.index = index;
            call = call(index);
        }

        /** Calls it some more; whether it is fast, or will not become so. */
        boolean isDone() {
            long batch = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                call.run();
            }
            calls += BATCH;
            READY[index] = (System.nanoTime() - batch) / BATCH < FAST_NANOS;
            return READY[index] || System.nanoTime() - started > PATIENCE_NANOS;
        }
    }

    private static Runnable call(int index) {
        float[] data = new float[64 * V];
        int[] taps = new int[index < DENSE_KINDS ? 1 : 9];
        byte[] bytes = new byte[8 * V];
        int[] ints = new int[V];
        return switch (index) {
            case WIDEN -> () -> ByteLanes.widen(bytes, 0, V, (byte) 0, 0, data, 0, 8);
            case HALF_EVEN -> () -> ByteLanes.halfEven(data, 0, V, data, 0, 0, 0, 0, bytes, 0, V, 8);
            case ROUND_HALF_EVEN -> () -> ByteLanes.roundHalfEven(data, 0, data, 0, 0, 0, 8);
            case SUM -> () -> ByteLanes.sum(bytes, 0, bytes, 0, bytes, 0, 8 * V, (byte) 0, 0, 0, 0, 0, 0, 0, 0);
            case QUANTIZE -> () -> ByteLanes.quantize(data, 0, bytes, 0, 8 * V, 0, 0, 0, 0);
            case POOL_MAX -> () -> ByteLanes.largest(bytes, 0, 2, V, 2, V, (byte) 0, ints);
            case POOL_SUM -> () -> ByteLanes.sums(bytes, 0, 2, V, 2, V, (byte) 0, ints);
            default ->
                index < DENSE_KINDS
                        ? () -> TileKernel.run(index, data, 0, taps, data, 0, data, 0, data, 0, data, 0, 2 * V, V, 0, 0)
                        : () -> DepthwiseKernel.run(
                                index - DENSE_KINDS, data, 0, taps, data, 0, data, 0, data, 0, 0, 0);
        };
    }
}
