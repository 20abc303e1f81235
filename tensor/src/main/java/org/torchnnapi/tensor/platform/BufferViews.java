package org.torchnnapi.tensor.platform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;

/**
 * Second views of buffers with a position of their own. Positions are set by {@link Buffer}'s methods: those of its
 * kinds, which return their own type, came to Android later.
 */
final class BufferViews {
    private BufferViews() {}

    static ByteBuffer at(ByteBuffer buffer, int at) {
        ByteBuffer view = buffer.duplicate().order(buffer.order());
        ((Buffer) view).position(at);
        return view;
    }

    static ByteBuffer of(ByteBuffer buffer, int from, int count) {
        ByteBuffer view = at(buffer, from);
        ((Buffer) view).limit(Math.addExact(from, count));
        return view;
    }

    static ShortBuffer at(ShortBuffer buffer, int at) {
        ShortBuffer view = buffer.duplicate();
        ((Buffer) view).position(at);
        return view;
    }

    static ShortBuffer of(ShortBuffer buffer, int from, int count) {
        ShortBuffer view = at(buffer, from);
        ((Buffer) view).limit(Math.addExact(from, count));
        return view;
    }

    static IntBuffer at(IntBuffer buffer, int at) {
        IntBuffer view = buffer.duplicate();
        ((Buffer) view).position(at);
        return view;
    }

    static IntBuffer of(IntBuffer buffer, int from, int count) {
        IntBuffer view = at(buffer, from);
        ((Buffer) view).limit(Math.addExact(from, count));
        return view;
    }

    static FloatBuffer at(FloatBuffer buffer, int at) {
        FloatBuffer view = buffer.duplicate();
        ((Buffer) view).position(at);
        return view;
    }

    static FloatBuffer of(FloatBuffer buffer, int from, int count) {
        FloatBuffer view = at(buffer, from);
        ((Buffer) view).limit(Math.addExact(from, count));
        return view;
    }
}
