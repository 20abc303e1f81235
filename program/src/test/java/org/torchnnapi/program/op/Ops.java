package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Random;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

/** Runs an operation over arrays of whatever kind as a program of its own. */
final class Ops {
    private Ops() {}

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
        for (int i = 0; i < values.length; i++) {
            values[i] = builder.input(types.get(i), ImageStorage.DECLARED);
        }
        builder.output(builder.add(op, values), ImageStorage.DECLARED);
        return run(builder, inputs);
    }

    /** The array of the output, the first, of a graph of inputs and outputs that lie as declared. */
    static Object run(GraphBuilder builder, Object... inputs) {
        OpGraph graph = builder.build();
        ValueType result = graph.type(graph.outputs()[0]);
        Object out = result.element().store().allocate(result.count());
        Buffer[] in = new Buffer[inputs.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = buffer(inputs[i]);
        }
        Plain.shared(graph).newRun().execute(in, new Buffer[] {buffer(out)}, () -> {});
        return out;
    }

    /**
     * Demands that floats are the same but for how sums of about a hundred numbers of [-2, 2) are rounded; no number is
     * the same as no number.
     */
    static void assertNear(float[] expected, float[] actual, String name) {
        assertEquals(expected.length, actual.length, name);
        for (int i = 0; i < expected.length; i++) {
            boolean near = Float.isFinite(expected[i])
                    && Math.abs(expected[i] - actual[i]) <= 1e-5 * (1 + Math.abs(expected[i]));
            assertTrue(
                    near || Float.compare(expected[i], actual[i]) == 0,
                    "element " + i + " of " + name + ": " + actual[i] + " (expected: " + expected[i] + ")");
        }
    }

    private static Buffer buffer(Object array) {
        return array instanceof float[] floats
                ? FloatBuffer.wrap(floats)
                : array instanceof int[] ints ? IntBuffer.wrap(ints) : ByteBuffer.wrap((byte[]) array);
    }
}
