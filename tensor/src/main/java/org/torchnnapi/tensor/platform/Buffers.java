package org.torchnnapi.tensor.platform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;

/**
 * Parts of buffers, read and written where they lie, whatever the buffers' positions, which stay as they are: so one
 * buffer may serve many threads. Places and counts are elements below the buffer's limit; others are an
 * {@link IndexOutOfBoundsException} or {@link IllegalArgumentException}.
 */
public final class Buffers {
    /** Bytes that are zeros in some tens of milliseconds. */
    private static final int AT_ONCE = 1 << 26;

    /** The ends of fillings whose memory nobody waits for any more. */
    private static final Set<CountDownLatch> UNWANTED = ConcurrentHashMap.newKeySet();

    private Buffers() {}

    /** Copies elements out of a buffer. */
    public static void get(ByteBuffer from, int at, byte[] to, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(from, at).get(to, first, count);
        } else {
            JdkCalls.get(from, at, to, first, count);
        }
    }

    /** Copies elements out of a buffer. */
    public static void get(ShortBuffer from, int at, short[] to, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(from, at).get(to, first, count);
        } else {
            JdkCalls.get(from, at, to, first, count);
        }
    }

    /** Copies elements out of a buffer. */
    public static void get(IntBuffer from, int at, int[] to, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(from, at).get(to, first, count);
        } else {
            JdkCalls.get(from, at, to, first, count);
        }
    }

    /** Copies elements out of a buffer. */
    public static void get(FloatBuffer from, int at, float[] to, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(from, at).get(to, first, count);
        } else {
            JdkCalls.get(from, at, to, first, count);
        }
    }

    /** Copies elements into a buffer. */
    public static void put(ByteBuffer to, int at, byte[] from, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(from, first, count);
        } else {
            JdkCalls.put(to, at, from, first, count);
        }
    }

    /** Copies elements into a buffer. */
    public static void put(ShortBuffer to, int at, short[] from, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(from, first, count);
        } else {
            JdkCalls.put(to, at, from, first, count);
        }
    }

    /** Copies elements into a buffer. */
    public static void put(IntBuffer to, int at, int[] from, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(from, first, count);
        } else {
            JdkCalls.put(to, at, from, first, count);
        }
    }

    /** Copies elements into a buffer. */
    public static void put(FloatBuffer to, int at, float[] from, int first, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(from, first, count);
        } else {
            JdkCalls.put(to, at, from, first, count);
        }
    }

    /** Copies elements from one buffer to another. */
    public static void copy(ByteBuffer from, int first, ByteBuffer to, int at, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(BufferViews.of(from, first, count));
        } else {
            JdkCalls.copy(from, first, to, at, count);
        }
    }

    /** Copies elements from one buffer to another. */
    public static void copy(ShortBuffer from, int first, ShortBuffer to, int at, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(BufferViews.of(from, first, count));
        } else {
            JdkCalls.copy(from, first, to, at, count);
        }
    }

    /** Copies elements from one buffer to another. */
    public static void copy(IntBuffer from, int first, IntBuffer to, int at, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(BufferViews.of(from, first, count));
        } else {
            JdkCalls.copy(from, first, to, at, count);
        }
    }

    /** Copies elements from one buffer to another. */
    public static void copy(FloatBuffer from, int first, FloatBuffer to, int at, int count) {
        if (Platform.ANDROID) {
            BufferViews.at(to, at).put(BufferViews.of(from, first, count));
        } else {
            JdkCalls.copy(from, first, to, at, count);
        }
    }

    /** Whether so many bytes are the same in two arrays. */
    public static boolean equal(byte[] a, int first, byte[] b, int other, int count) {
        return ByteBuffer.wrap(a, first, count).equals(ByteBuffer.wrap(b, other, count));
    }

    /**
     * New memory outside the heap, zero at first. Much of it takes the platform a second or more, which heeds no
     * interrupt; a thread of its own does that, so that this one does. Where memory is short, what such threads make
     * for nobody is waited for.
     *
     * @throws java.util.concurrent.CancellationException if the thread is interrupted; its flag stays set
     * @throws OutOfMemoryError if there is no room for it
     */
    public static ByteBuffer direct(int bytes) {
        return direct(bytes, ByteBuffer::allocateDirect);
    }

    /** The same where the platform is another. */
    static ByteBuffer direct(int bytes, IntFunction<ByteBuffer> platform) {
        try {
            try {
                return filled(bytes, platform);
            } catch (OutOfMemoryError e) {
                if (UNWANTED.isEmpty()) {
                    throw e;
                }
                for (CountDownLatch ended : UNWANTED) {
                    ended.await();
                }
                return filled(bytes, platform);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Interruption.cancelled();
        }
    }

    private static ByteBuffer filled(int bytes, IntFunction<ByteBuffer> platform) throws InterruptedException {
        if (bytes <= AT_ONCE) {
            return platform.apply(bytes);
        }
        FutureTask<ByteBuffer> memory = new FutureTask<>(() -> platform.apply(bytes));
        CountDownLatch ended = new CountDownLatch(1);
        Runnable filling = () -> {
            memory.run();
            ended.countDown();
            UNWANTED.remove(ended);
        };
        Thread thread = new Thread(filling, "torch-nnapi memory");
        thread.setDaemon(true);
        thread.start();
        try {
            return memory.get();
        } catch (InterruptedException e) {
            memory.cancel(false);
            UNWANTED.add(ended);
            if (ended.getCount() == 0) {
                UNWANTED.remove(ended);
            }
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OutOfMemoryError) {
                throw (OutOfMemoryError) e.getCause();
            }
            throw new IllegalStateException(e);
        }
    }

    /**
     * New memory outside the heap, zero at first, that begins at a multiple of some bytes; on Android, where Java does
     * not know addresses, at a multiple of 8.
     *
     * @param alignment in bytes, a power of two
     */
    public static ByteBuffer aligned(int size, int alignment) {
        return Platform.ANDROID ? direct(size) : JdkCalls.aligned(size, alignment);
    }

    /** A part of a buffer as a buffer of its own, of bytes in big-endian order as every new one. */
    public static ByteBuffer slice(ByteBuffer whole, int from, int count) {
        return BufferViews.of(whole, from, count).slice();
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static ByteBuffer whole(ByteBuffer buffer) {
        ByteBuffer whole = buffer.duplicate().order(buffer.order());
        ((Buffer) whole).clear();
        return whole;
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static ShortBuffer whole(ShortBuffer buffer) {
        ShortBuffer whole = buffer.duplicate();
        ((Buffer) whole).clear();
        return whole;
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static IntBuffer whole(IntBuffer buffer) {
        IntBuffer whole = buffer.duplicate();
        ((Buffer) whole).clear();
        return whole;
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static FloatBuffer whole(FloatBuffer buffer) {
        FloatBuffer whole = buffer.duplicate();
        ((Buffer) whole).clear();
        return whole;
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static LongBuffer whole(LongBuffer buffer) {
        LongBuffer whole = buffer.duplicate();
        ((Buffer) whole).clear();
        return whole;
    }

    /** All elements of a buffer, from its first to its capacity, in the buffer's order. */
    public static DoubleBuffer whole(DoubleBuffer buffer) {
        DoubleBuffer whole = buffer.duplicate();
        ((Buffer) whole).clear();
        return whole;
    }
}
