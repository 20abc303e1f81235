package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.LayoutConversion;

/**
 * The plain twin of programs: each operation for itself, every value in an array of its own that lies as declared, by
 * {@link PlainOps}. What those do not know runs by the operation's own kernel, which is tested beside it: then the twin
 * shows that passes change nothing.
 */
public final class Plain {
    private static final double TOLERANCE = 2e-4;

    private Plain() {}

    /** Every value's elements. */
    static Object[] run(OpGraph graph, Object[] inputs) {
        Object[] values = new Object[graph.values().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = graph.values().get(i).constant();
        }
        for (int i = 0; i < inputs.length; i++) {
            values[graph.inputs()[i]] = inputs[i];
        }
        for (OpGraph.Node node : graph.nodes()) {
            List<PlacedValue> in = new ArrayList<>();
            for (int input : node.inputs()) {
                in.add(new PlacedValue(graph.type(input), ImageStorage.DECLARED, values[input], 0));
            }
            ValueType type = graph.type(node.output());
            int[] from = node.inputs();
            values[node.output()] = PlainOps.run(
                    node.op(),
                    Arrays.stream(from).mapToObj(i -> values[i]).toArray(),
                    Arrays.stream(from).mapToObj(graph::type).toArray(ValueType[]::new),
                    type);
            if (values[node.output()] != null) {
                continue;
            }
            values[node.output()] = type.isFloat() ? new float[type.count()] : new byte[type.count()];
            Step step = node.op()
                    .compile(new Operands(in, new PlacedValue(type, ImageStorage.DECLARED, values[node.output()], 0)));
            step.binding().to(RunMemory.NONE).run(0, step.units());
        }
        return values;
    }

    static Object random(ValueType type, Random random) {
        if (type.isFloat()) {
            float[] data = new float[type.count()];
            for (int i = 0; i < data.length; i++) {
                data[i] = random.nextFloat() * 2 - 1;
            }
            return data;
        }
        byte[] data = new byte[type.count()];
        random.nextBytes(data);
        return data;
    }

    /** A program whose steps are divided among threads however small they are. */
    public static Program shared(OpGraph graph) {
        return Program.compile(graph, 0, () -> {});
    }

    /** Demands that a program of the graph computes what the plain twin does, twice over, and returns it. */
    static Program compare(OpGraph graph, long seed) {
        Program program = shared(graph);
        Run run = program.newRun();
        Random random = new Random(seed);
        for (int time = 0; time < 2; time++) {
            Object[] inputs = new Object[graph.inputs().length];
            Buffer[] in = new Buffer[inputs.length];
            for (int i = 0; i < inputs.length; i++) {
                ValueType type = graph.type(graph.inputs()[i]);
                inputs[i] = random(type, random);
                in[i] = wrap(stored(type, graph.values().get(graph.inputs()[i]).storage(), inputs[i]));
            }
            Buffer[] out = new Buffer[graph.outputs().length];
            for (int i = 0; i < out.length; i++) {
                ValueType type = graph.type(graph.outputs()[i]);
                out[i] = type.isFloat() ? FloatBuffer.allocate(type.count()) : ByteBuffer.allocate(type.count());
            }
            run.execute(in, out, () -> {});
            Object[] expected = run(graph, inputs);
            for (int i = 0; i < out.length; i++) {
                int output = graph.outputs()[i];
                check(
                        stored(graph.type(output), graph.values().get(output).storage(), expected[output]),
                        out[i].array(),
                        "output " + i + " of seed " + seed + ": " + program.describe());
            }
        }
        return program;
    }

    /** The elements of a value as that storage has them. */
    static Object stored(ValueType type, ImageStorage storage, Object declared) {
        if (storage == ImageStorage.DECLARED) {
            return declared;
        }
        ImageLayout from = storage.order();
        ImageLayout to = storage.layout(from);
        int channels = type.dimension(ImageStorage.channelAxis(from));
        int batch = type.dimension(0);
        int image = type.count() / batch;
        Object stored = type.isFloat() ? new float[storage.size(type)] : new byte[storage.size(type)];
        for (int i = 0; i < batch; i++) {
            if (type.isFloat()) {
                LayoutConversion.convert(
                        channels,
                        image / channels,
                        from,
                        (float[]) declared,
                        i * image,
                        to,
                        (float[]) stored,
                        i * image);
            } else {
                LayoutConversion.convert(
                        channels, image / channels, from, (byte[]) declared, i * image, to, (byte[]) stored, i * image);
            }
        }
        return stored;
    }

    private static Buffer wrap(Object data) {
        return data instanceof float[] floats ? FloatBuffer.wrap(floats) : ByteBuffer.wrap((byte[]) data);
    }

    private static void check(Object expected, Object actual, String name) {
        if (expected instanceof byte[] bytes) {
            assertArrayEquals(bytes, (byte[]) actual, name);
            return;
        }
        float[] e = (float[]) expected;
        float[] a = (float[]) actual;
        for (int i = 0; i < e.length; i++) {
            assertEquals(e[i], a[i], TOLERANCE * (1 + Math.abs(e[i])), "element " + i + " of " + name);
        }
    }
}
