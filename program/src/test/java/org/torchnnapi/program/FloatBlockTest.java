package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;

class FloatBlockTest {
    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    private int convolution(int x, ConvShape shape) {
        float[] weights = (float[]) Plain.random(ValueType.floats((int) shape.weightCount()), random);
        float[] bias = (float[]) Plain.random(ValueType.floats(shape.outC()), random);
        return graph.add(new ConvolutionOp(shape, ImageLayout.NCHW, weights, bias, Clamp.NONE), x);
    }

    private int limited(int x) {
        return graph.add(new ClampOp(Clamp.RELU6), x);
    }

    /** A chain takes its input as its first convolution does, whatever its last one would like. */
    @Test
    void fewChannelsAreReadAsTheyLie() {
        int x = graph.input(ValueType.floats(1, 3, 112, 112), ImageStorage.DECLARED);
        int first = limited(
                convolution(x, ConvShape.of(3, 112, 112, 32, 3, 3).stride(2, 2).padding(1, 1)));
        int each = limited(convolution(
                first, ConvShape.of(32, 56, 56, 32, 3, 3).padding(1, 1).groups(32)));
        graph.output(convolution(each, ConvShape.of(32, 56, 56, 16, 1, 1)), ImageStorage.DECLARED);
        List<String> labels = Plain.compare(graph.build(), 1).labels();
        long laidAnew = labels.stream()
                .filter(label -> label.startsWith("relayout DECLARED"))
                .count();
        assertEquals(0, laidAnew, labels.toString());
    }
}
