package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.GroupNorm;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.LayerNormOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** Normalizations among operations that lay images as they like. */
class NormalizationsTest {
    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    private float[] floats(int count) {
        return (float[]) Plain.random(ValueType.floats(count), random);
    }

    private int convolution(int x, int in, int out) {
        ConvShape shape = ConvShape.of(in, 6, 7, out, 1, 1);
        return graph.add(new ConvolutionOp(shape, ImageLayout.NCHW, floats(in * out), floats(out), Clamp.NONE), x);
    }

    @ParameterizedTest
    @CsvSource({"16, 4", "20, 20", "24, 3", "32, 1", "6, 2"})
    void groupsBetweenConvolutions(int channels, int groups) {
        int x = graph.input(ValueType.floats(2, 3, 6, 7), ImageStorage.DECLARED);
        int norm = graph.add(
                new GroupNormOp(groups, 1e-3f, floats(channels), floats(channels)), convolution(x, 3, channels));
        graph.output(convolution(norm, channels, 5), ImageStorage.DECLARED);
        Program program = Plain.compare(graph.build(), channels);
        boolean stays = Kernels.preferredFloatLayout() == ImageLayout.BLOCKED
                && GroupNorm.covers(ImageLayout.BLOCKED, channels, groups);
        long turned = program.labels().stream()
                .filter(label -> label.startsWith("relayout"))
                .count();
        assertTrue(!stays || turned == 0, program.describe().toString());
    }

    @Test
    void lastAxesOfAnyShape() {
        for (int count : new int[] {7, 42}) {
            int x = graph.input(ValueType.floats(5, 6, 7), ImageStorage.DECLARED);
            graph.output(graph.add(new LayerNormOp(count, 1e-3f, floats(count), null), x), ImageStorage.DECLARED);
        }
        Plain.compare(graph.build(), 1);
    }

    private int binary(BinaryOp op, int a, int b) {
        boolean turned = op != BinaryOp.SUB && random.nextBoolean();
        return graph.add(BinaryMathOp.of(op), turned ? b : a, turned ? a : b);
    }

    private int mean(int x, int... axes) {
        int mean = graph.add(new ReduceOp(ReductionKernel.MEAN, axes, true), x);
        return graph.add(new ReshapeOp(graph.type(mean).shape()), mean);
    }

    /** As converters write it, with a factor and a summand of a shape unless that is null. */
    private int written(int x, int[] axes, int... factors) {
        int centred = binary(BinaryOp.SUB, x, mean(x, axes));
        int variance = binary(
                BinaryOp.ADD,
                mean(graph.add(BinaryMathOp.of(BinaryOp.MUL), centred, centred), axes),
                graph.constant(ValueType.floats(1), new float[] {1e-3f}));
        int norm = binary(BinaryOp.MUL, centred, graph.add(new UnaryMathOp(UnaryOp.RSQRT), variance));
        if (factors == null) {
            return norm;
        }
        ValueType type = ValueType.floats(factors);
        return binary(
                BinaryOp.ADD,
                binary(BinaryOp.MUL, norm, graph.constant(type, floats(type.count()))),
                graph.constant(type, floats(type.count())));
    }

    private List<String> steps(int output) {
        graph.output(output, ImageStorage.DECLARED);
        return Plain.compare(graph.build(), 1).labels();
    }

    @ParameterizedTest
    @CsvSource({"1", "7", "16", "33"})
    void writtenNormsOfTheLastAxisAreOneStep(int count) {
        int x = graph.input(ValueType.floats(3, 5, count), ImageStorage.DECLARED);
        List<String> steps = steps(written(
                written(written(x, new int[] {2}, count), new int[] {-1}, 1, 1, count), new int[] {2}, (int[]) null));
        assertEquals(
                List.of("layer norm of " + count, "layer norm of " + count, "layer norm of " + count),
                steps.stream()
                        .map(step -> step.substring(0, Math.min(step.length(), ("layer norm of " + count).length())))
                        .toList());
    }

    @Test
    void writtenNormsOfSeveralAxesAreOneStep() {
        int x = graph.input(ValueType.floats(3, 5, 7), ImageStorage.DECLARED);
        List<String> steps = steps(written(x, new int[] {1, 2}, 5, 7));
        assertEquals(1, steps.size(), steps.toString());
    }

    @ParameterizedTest
    @CsvSource({"1", "3", "8", "17", "40"})
    void writtenNormsOfImagesAreOneStep(int channels) {
        int x = graph.input(ValueType.floats(2, 6, 7, channels), ImageStorage.DECLARED);
        ConvShape shape = ConvShape.of(channels, 6, 7, channels, 1, 1);
        int convolved = graph.add(
                new ConvolutionOp(shape, ImageLayout.NHWC, floats(channels * channels), floats(channels), Clamp.NONE),
                x);
        List<String> steps =
                steps(graph.add(new ClampOp(Clamp.RELU), written(convolved, new int[] {1, 2}, 1, 1, channels)));
        assertEquals(
                1, steps.stream().filter(step -> step.startsWith("group norm")).count(), steps.toString());
        assertEquals(
                0,
                steps.stream()
                        .filter(step -> step.startsWith("mean") || step.startsWith("mul") || step.startsWith("rsqrt"))
                        .count(),
                steps.toString());
    }

    @Test
    void whatIsNoNormStays() {
        int x = graph.input(ValueType.floats(3, 5, 7), ImageStorage.DECLARED);
        int other = graph.input(ValueType.floats(3, 5, 7), ImageStorage.DECLARED);
        int centred = binary(BinaryOp.SUB, x, mean(other, 2));
        int variance = binary(
                BinaryOp.ADD,
                mean(graph.add(BinaryMathOp.of(BinaryOp.MUL), centred, centred), 2),
                graph.constant(ValueType.floats(1), new float[] {1e-3f}));
        List<String> steps = steps(binary(BinaryOp.MUL, centred, graph.add(new UnaryMathOp(UnaryOp.RSQRT), variance)));
        assertEquals(2, steps.stream().filter(step -> step.startsWith("mean")).count(), steps.toString());
    }

    @Test
    void refusesWhatDoesNotDivide() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new LayerNormOp(12, 1e-3f, null, null).result(List.of(ValueType.floats(5, 6, 7))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new GroupNormOp(4, 1e-3f, null, null).result(List.of(ValueType.floats(5, 6, 7))));
    }
}
