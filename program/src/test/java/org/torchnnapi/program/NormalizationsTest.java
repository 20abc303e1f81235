package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.LayerNormOp;

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
        int norm = graph.add(new GroupNormOp(groups, 1e-3f, floats(channels), floats(channels)), convolution(x, 3, channels));
        graph.output(convolution(norm, channels, 5), ImageStorage.DECLARED);
        Program program = Plain.compare(graph.build(), channels);
        boolean stays = Kernels.preferredFloatLayout() == ImageLayout.BLOCKED
            && org.torchnnapi.kernels.GroupNorm.covers(ImageLayout.BLOCKED, channels, groups);
        long turned = program.labels().stream().filter(label -> label.startsWith("relayout")).count();
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

    @Test
    void refusesWhatDoesNotDivide() {
        assertThrows(IllegalArgumentException.class, () -> new LayerNormOp(12, 1e-3f, null, null).result(List.of(ValueType.floats(5, 6, 7))));
        assertThrows(IllegalArgumentException.class, () -> new GroupNormOp(4, 1e-3f, null, null).result(List.of(ValueType.floats(5, 6, 7))));
    }
}
