package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ConvolutionOp;

/** Arithmetic with constants behind a convolution becomes part of it where it may, and never shows. */
class FoldChannelsTest {
    private final Random random = new Random(1);
    private final GraphBuilder graph = new GraphBuilder();

    private int convolution(ImageLayout order, boolean transposed) {
        ConvShape shape = ConvShape.of(6, 5, 7, 9, 3, 2).groups(3);
        if (transposed) {
            shape = shape.transposed(0, 0);
        }
        ValueType image = ValueType.floats(order == ImageLayout.NCHW ? new int[] {2, 6, 5, 7} : new int[] {2, 5, 7, 6});
        float[] weights = (float[]) Plain.random(ValueType.floats((int) shape.weightCount()), random);
        return graph.add(
                new ConvolutionOp(shape, order, weights, null, Clamp.NONE), graph.input(image, ImageStorage.DECLARED));
    }

    private int constant(int... shape) {
        ValueType type = ValueType.floats(shape);
        return graph.constant(type, (float[]) Plain.random(type, random));
    }

    /** How many sums, products and the like are left. */
    private int left(int value) {
        graph.output(value, ImageStorage.DECLARED);
        Program program = Plain.compare(graph.build(), 1);
        return (int) program.labels().stream()
                .filter(label -> label.matches("(add|sub|mul|div|max)\\b.*"))
                .count();
    }

    @ParameterizedTest
    @EnumSource(
            value = ImageLayout.class,
            names = {"NCHW", "NHWC"})
    void scaleAndShiftAreFolded(ImageLayout order) {
        int[] shape = order == ImageLayout.NCHW ? new int[] {1, 9, 1, 1} : new int[] {9};
        int scaled = graph.add(BinaryMathOp.of(BinaryOp.MUL), convolution(order, false), constant(shape));
        int shifted = graph.add(BinaryMathOp.of(BinaryOp.ADD), constant(shape), scaled);
        int moved = graph.add(new BinaryMathOp(BinaryOp.SUB, Clamp.RELU), shifted, constant());
        assertEquals(0, left(moved));
    }

    @ParameterizedTest
    @CsvSource({"MUL, 1", "ADD, 0", "DIV, 1", "MAX, 1"})
    void ofTransposedOnesOnlySumsAre(BinaryOp op, int left) {
        assertEquals(
                left, left(graph.add(BinaryMathOp.of(op), convolution(ImageLayout.NCHW, true), constant(9, 1, 1))));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, 6", "1, 1, 7, 1", "2, 9, 1, 1"})
    void otherShapesAreLeft(int a, int b, int c, int d) {
        int wide = convolution(ImageLayout.NCHW, false);
        assertEquals(1, left(graph.add(BinaryMathOp.of(BinaryOp.MUL), wide, constant(a, b, c == 7 ? 3 : c, d))));
    }

    @Test
    void constantsLessAConvolutionAreLeft() {
        int value = convolution(ImageLayout.NCHW, false);
        assertEquals(1, left(graph.add(BinaryMathOp.of(BinaryOp.SUB), constant(1, 9, 1, 1), value)));
    }
}
