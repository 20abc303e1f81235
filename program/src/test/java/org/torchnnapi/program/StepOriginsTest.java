package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** Which nodes of a graph a program's steps say that they compute. */
class StepOriginsTest {
    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    private float[] floats(int count) {
        return (float[]) Plain.random(ValueType.floats(count), random);
    }

    private int convolution(int x, int out, int kernel) {
        int[] shape = graph.type(x).shape();
        ConvShape conv = ConvShape.of(shape[1], shape[2], shape[3], out, kernel, kernel)
                .padding(kernel / 2, kernel / 2, kernel / 2, kernel / 2);
        return graph.add(
                new ConvolutionOp(conv, ImageLayout.NCHW, floats((int) conv.weightCount()), floats(out), Clamp.NONE),
                x);
    }

    private Program compile(int output) {
        graph.output(output, ImageStorage.DECLARED);
        return Program.compile(graph.build(), () -> {});
    }

    /** The nodes of the only step whose label begins so. */
    private static int[] nodes(Program program, String start) {
        return program.origins().get(step(program, start));
    }

    private static int step(Program program, String start) {
        List<Integer> found = IntStream.range(0, program.labels().size())
                .filter(i -> program.labels().get(i).startsWith(start))
                .boxed()
                .toList();
        assertEquals(1, found.size(), () -> start + " in " + program.labels());
        return found.get(0);
    }

    @Test
    void whatIsFoldedIsComputedByTheStepThatItIsFoldedInto() {
        int x = graph.input(ValueType.floats(1, 16, 12, 12), ImageStorage.DECLARED);
        int first = convolution(x, 32, 3);
        int limited = graph.add(new ClampOp(Clamp.RELU), first);
        int smooth = graph.add(new UnaryMathOp(UnaryOp.TANH), limited);
        int second = convolution(smooth, 24, 1);
        Program program = compile(graph.add(new ClampOp(Clamp.RELU), second));
        assertArrayEquals(new int[] {0, 1}, nodes(program, "convolution 3x3"));
        assertArrayEquals(new int[] {2}, nodes(program, "tanh"));
        assertArrayEquals(new int[] {3, 4}, nodes(program, "convolution 1x1"));
        // Named by whoever made the graph, each once; nodes that came later have no name.
        List<String> names = List.of("layer", "layer");
        assertEquals(List.of("layer"), program.origins(step(program, "convolution 3x3"), names));
        assertEquals(List.of(), program.origins(step(program, "tanh"), names));
    }

    @Test
    void whatAPassPutsInBetweenCountsToItsReader() {
        int x = graph.input(ValueType.floats(1, 32, 40, 40), ImageStorage.DECLARED);
        Program program = compile(convolution(x, 32, 1));
        // Java's kernels read the declared layout.
        assumeTrue(Kernels.describe().stream().anyMatch(line -> line.startsWith("float kernels: native")));
        assertTrue(program.labels().size() > 1, () -> "a relayout: " + program.labels());
        for (int i = 0; i < program.labels().size(); i++) {
            int step = i;
            // What lays the result as the caller wants it has no reader.
            assertTrue(
                    program.origins().get(i).length <= 1,
                    () -> program.labels().get(step)
                            + Arrays.toString(program.origins().get(step)));
        }
        assertArrayEquals(new int[] {0}, nodes(program, "convolution 1x1"));
        assertArrayEquals(new int[] {0}, program.origins().get(0));
    }

    @Test
    void whatIsComputedInAnotherShapeIsStillKnown() {
        int x = graph.input(ValueType.floats(1, 32, 1, 40), ImageStorage.DECLARED);
        int row = graph.add(new ReshapeOp(new int[] {1, 32, 40}), convolution(x, 32, 1));
        int scaled =
                graph.add(BinaryMathOp.of(BinaryOp.MUL), row, graph.constant(ValueType.floats(1, 32, 1), floats(32)));
        int limited = graph.add(new ClampOp(Clamp.RELU), scaled);
        int image = graph.add(new ReshapeOp(new int[] {1, 32, 1, 40}), limited);
        int smooth = graph.add(new UnaryMathOp(UnaryOp.TANH), image);
        Program program = compile(smooth);
        assertArrayEquals(new int[] {0, 1, 2, 3}, nodes(program, "convolution 1x1"));
        int[] last = nodes(program, "tanh");
        assertEquals(5, last[last.length - 1], Arrays.toString(last));
        assertTrue(last[0] >= 4, Arrays.toString(last));
    }
}
