package org.torchnnapi.tensor.platform;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;

/** What a JDK does at once, without the objects that take its place on Android. */
@OnJdkOnly
final class JdkCalls {
    private JdkCalls() {}

    static void fence(Object object) {
        Reference.reachabilityFence(object);
    }

    static void pause() {
        Thread.onSpinWait();
    }

    static float multiplyAdd(float a, float b, float c) {
        return Math.fma(a, b, c);
    }

    static ByteBuffer aligned(int size, int alignment) {
        ByteBuffer whole = Buffers.direct(Math.addExact(size, alignment));
        return whole.slice(alignment - whole.alignmentOffset(0, alignment), size);
    }

    static void get(ByteBuffer from, int at, byte[] to, int first, int count) {
        from.get(at, to, first, count);
    }

    static void get(ShortBuffer from, int at, short[] to, int first, int count) {
        from.get(at, to, first, count);
    }

    static void get(IntBuffer from, int at, int[] to, int first, int count) {
        from.get(at, to, first, count);
    }

    static void get(FloatBuffer from, int at, float[] to, int first, int count) {
        from.get(at, to, first, count);
    }

    static void put(ByteBuffer to, int at, byte[] from, int first, int count) {
        to.put(at, from, first, count);
    }

    static void put(ShortBuffer to, int at, short[] from, int first, int count) {
        to.put(at, from, first, count);
    }

    static void put(IntBuffer to, int at, int[] from, int first, int count) {
        to.put(at, from, first, count);
    }

    static void put(FloatBuffer to, int at, float[] from, int first, int count) {
        to.put(at, from, first, count);
    }

    static void copy(ByteBuffer from, int first, ByteBuffer to, int at, int count) {
        to.put(at, from, first, count);
    }

    static void copy(ShortBuffer from, int first, ShortBuffer to, int at, int count) {
        to.put(at, from, first, count);
    }

    static void copy(IntBuffer from, int first, IntBuffer to, int at, int count) {
        to.put(at, from, first, count);
    }

    static void copy(FloatBuffer from, int first, FloatBuffer to, int at, int count) {
        to.put(at, from, first, count);
    }
}
