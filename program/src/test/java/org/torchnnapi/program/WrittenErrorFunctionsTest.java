package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** The error function and its kin, written out as converters do for NNAPI, with operands in either order. */
class WrittenErrorFunctionsTest {
    private static final float[] A = {0.254829592f, -0.284496736f, 1.421413741f, -1.453152027f, 1.061405429f};
    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    private int number(float value) {
        return graph.constant(ValueType.floats(1), new float[] {value});
    }

    private int binary(BinaryOp op, int a, int b) {
        boolean turned = op != BinaryOp.SUB && op != BinaryOp.DIV && random.nextBoolean();
        return graph.add(BinaryMathOp.of(op), turned ? b : a, turned ? a : b);
    }

    private int unary(UnaryOp op, int a) {
        return graph.add(new UnaryMathOp(op), a);
    }

    private int complement(int z, float factor, float p) {
        int t = binary(BinaryOp.DIV, number(1), binary(BinaryOp.ADD, binary(BinaryOp.MUL, z, number(p)), number(1)));
        int sum = binary(BinaryOp.MUL, t, number(factor * A[4]));
        for (int i = 3; i >= 0; i--) {
            sum = binary(BinaryOp.MUL, binary(BinaryOp.ADD, sum, number(factor * A[i])), t);
        }
        return binary(
                BinaryOp.MUL,
                sum,
                unary(UnaryOp.EXP, unary(UnaryOp.NEG, graph.add(BinaryMathOp.of(BinaryOp.MUL), z, z))));
    }

    private int gelu(int x, float p) {
        int size = binary(BinaryOp.MAX, unary(UnaryOp.NEG, x), binary(BinaryOp.MIN, x, number(64)));
        int rest = binary(
                BinaryOp.MUL,
                complement(binary(BinaryOp.MUL, unary(UnaryOp.ABS, x), number((float) Math.sqrt(0.5))), 0.5f, p),
                size);
        return binary(BinaryOp.SUB, graph.add(new ClampOp(Clamp.RELU), x), rest);
    }

    private int errorFunction(int x) {
        int size = binary(BinaryOp.SUB, number(1), complement(unary(UnaryOp.ABS, x), 1, 0.3275911f));
        int bounded = binary(BinaryOp.MAX, binary(BinaryOp.MIN, x, number(64)), number(-64));
        return binary(
                BinaryOp.MUL,
                size,
                binary(
                        BinaryOp.DIV,
                        bounded,
                        binary(BinaryOp.MAX, unary(UnaryOp.ABS, bounded), number(Float.MIN_NORMAL))));
    }

    private int approximation(int x) {
        int cube = binary(
                BinaryOp.MUL,
                binary(BinaryOp.MUL, graph.add(BinaryMathOp.of(BinaryOp.MUL), x, x), x),
                number(0.044715f));
        return binary(
                BinaryOp.MUL,
                x,
                unary(UnaryOp.SIGMOID, binary(BinaryOp.MUL, binary(BinaryOp.ADD, x, cube), number((float)
                        (2 * Math.sqrt(2 / Math.PI))))));
    }

    private List<String> steps(int output) {
        graph.output(output, ImageStorage.DECLARED);
        return Plain.compare(graph.build(), 1).labels();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void areOneStepEach(int seed) {
        random.setSeed(seed);
        int x = graph.input(ValueType.floats(2, 3, 41), ImageStorage.DECLARED);
        List<String> steps = steps(approximation(errorFunction(gelu(x, 0.3275911f))));
        assertEquals(
                List.of("gelu", "erf", "gelu_tanh"),
                steps.stream().map(step -> step.substring(0, step.indexOf(' '))).toList());
    }

    @Test
    void anotherNumberIsAnotherFunction() {
        int x = graph.input(ValueType.floats(41), ImageStorage.DECLARED);
        assertTrue(steps(gelu(x, 0.33f)).size() > 10);
    }

    @Test
    void anotherInputIsAnotherFunction() {
        int x = graph.input(ValueType.floats(41), ImageStorage.DECLARED);
        int y = graph.input(ValueType.floats(41), ImageStorage.DECLARED);
        int rest = binary(
                BinaryOp.MUL,
                complement(
                        binary(BinaryOp.MUL, unary(UnaryOp.ABS, y), number((float) Math.sqrt(0.5))), 0.5f, 0.3275911f),
                binary(BinaryOp.MAX, unary(UnaryOp.NEG, x), binary(BinaryOp.MIN, x, number(64))));
        assertTrue(steps(binary(BinaryOp.SUB, graph.add(new ClampOp(Clamp.RELU), x), rest))
                        .size()
                > 10);
    }

    /** Even where it is not known as something else, a number divided by images leaves them as they lie. */
    @Test
    void quotientsOfANumberLeaveImagesAsTheyLie() {
        int x = graph.input(ValueType.floats(2, 16, 6, 7), ImageStorage.DECLARED);
        ConvShape shape = ConvShape.of(16, 6, 7, 16, 1, 1);
        int[] ends = new int[2];
        for (int i = 0; i < 2; i++) {
            int in = i == 0
                    ? x
                    : binary(BinaryOp.DIV, number(3), binary(BinaryOp.ADD, unary(UnaryOp.ABS, ends[0]), number(1)));
            ends[i] = graph.add(
                    new ConvolutionOp(
                            shape,
                            ImageLayout.NCHW,
                            (float[]) Plain.random(ValueType.floats(256), random),
                            (float[]) Plain.random(ValueType.floats(16), random),
                            Clamp.NONE),
                    in);
        }
        List<String> steps = steps(ends[1]);
        // In at the start and out at the end.
        for (String way : List.of("relayout DECLARED", "relayout BLOCKED")) {
            long turned = steps.stream().filter(step -> step.startsWith(way)).count();
            assertTrue(Kernels.preferredFloatLayout() != ImageLayout.BLOCKED || turned <= 1, steps.toString());
        }
    }
}
