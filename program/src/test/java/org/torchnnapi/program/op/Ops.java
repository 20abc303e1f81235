package org.torchnnapi.program.op;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.ValueType;

/** Runs an operation over arrays of whatever kind as a program of its own. */
final class Ops {
    private Ops() {
    }

    /** A {@code float[]} of within [-2, 2), an {@code int[]} of small numbers, or a {@code byte[]}, of flags 0 or 1. */
    static Object random(Random random, ValueType type) {
        return switch (type.element()) {
            case FLOAT32 -> {
                float[] data = new float[type.count()];
                for (int i = 0; i < data.length; i++) {
                    data[i] = random.nextInt(5) == 0 ? random.nextInt(3) - 1 : random.nextFloat() * 4 - 2;
                }
                yield data;
            }
            case INT32 -> random.ints(type.count(), -9, 10).toArray();
            case BOOL8 -> {
                byte[] data = new byte[type.count()];
                for (int i = 0; i < data.length; i++) {
                    data[i] = (byte) random.nextInt(2);
                }
                yield data;
            }
            case UINT8, INT8 -> ByteOps.random(random, type);
        };
    }

    /** The result's array. */
    static Object run(Op op, List<ValueType> types, Object... inputs) {
        GraphBuilder builder = new GraphBuilder();
        int[] values = new int[inputs.length];
        List<Buffer> in = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            values[i] = builder.input(types.get(i), ImageStorage.DECLARED);
            in.add(buffer(inputs[i]));
        }
        builder.output(builder.add(op, values), ImageStorage.DECLARED);
        ValueType result = op.result(types);
        Object out = result.element().store().allocate(result.count());
        Program.compile(builder.build(), () -> { }).newRun().execute(in.toArray(new Buffer[0]), new Buffer[] {buffer(out)}, () -> { });
        return out;
    }

    private static Buffer buffer(Object array) {
        return array instanceof float[] floats ? FloatBuffer.wrap(floats) : array instanceof int[] ints ? IntBuffer.wrap(ints)
                : ByteBuffer.wrap((byte[]) array);
    }
}
