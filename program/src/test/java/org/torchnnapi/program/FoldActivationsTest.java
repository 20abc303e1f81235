package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** A function or limits behind a convolution become part of it where they may, and never show. */
class FoldActivationsTest {
    private static final UnaryMathOp SILU = new UnaryMathOp(UnaryOp.SILU);
    private static final ClampOp RELU = new ClampOp(Clamp.RELU);
    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.05f, 117);

    private GraphBuilder graph;

    /** Steps that this adds to those of a convolution. */
    private int added(IntUnaryOperator behind) {
        return steps(behind) - steps(value -> value);
    }

    /** The same behind a convolution of bytes, whose tables fold. */
    private int addedToBytes(IntUnaryOperator behind) {
        Random random = new Random(2);
        graph = new GraphBuilder();
        ConvShape shape = ConvShape.of(5, 6, 7, 9, 3, 2);
        int sums = graph.add(
                new QuantizedConvolutionOp(
                        shape,
                        ImageLayout.NHWC,
                        new QuantizedWeights(bytes((int) shape.weightCount(), random), true, new int[] {0}),
                        null,
                        Requantization.halfEven(new float[] {2e-3f}, 117, 0, 255),
                        BYTES),
                graph.input(ValueType.bytes(BYTES, 2, 6, 7, 5), ImageStorage.DECLARED));
        graph.output(behind.applyAsInt(sums), ImageStorage.DECLARED);
        List<String> labels = Plain.compare(graph.build(), 1).labels();
        return labels.size() - 1;
    }

    private static byte[] bytes(int count, Random random) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private int lookedUp(int value) {
        return graph.add(new TableOp(bytes(256, new Random(3)), BYTES), value);
    }

    private int summed(int value) {
        QuantizedSum rule = QuantizedSum.halfEven(0.05f, 117, 0.05f, 117, false, 0.05f, 117, false, 0, 255);
        return graph.add(new QuantizedAddOp(rule, BYTES), value, graph.input(graph.type(value), ImageStorage.DECLARED));
    }

    @Test
    void tablesOfBytesAreFolded() {
        assertEquals(0, addedToBytes(this::lookedUp));
        assertEquals(0, addedToBytes(value -> lookedUp(lookedUp(value))));
        assertEquals(0, addedToBytes(value -> summed(lookedUp(value))));
        // A convolution looks up first and adds then.
        assertEquals(1, addedToBytes(value -> lookedUp(summed(value))));
    }

    private int steps(IntUnaryOperator behind) {
        Random random = new Random(1);
        graph = new GraphBuilder();
        ConvShape shape = ConvShape.of(5, 6, 7, 9, 3, 2);
        float[] weights = (float[]) Plain.random(ValueType.floats((int) shape.weightCount()), random);
        int sums = graph.add(
                new ConvolutionOp(shape, ImageLayout.NCHW, weights, null, Clamp.NONE),
                graph.input(ValueType.floats(2, 5, 6, 7), ImageStorage.DECLARED));
        graph.output(behind.applyAsInt(sums), ImageStorage.DECLARED);
        return Plain.compare(graph.build(), 1).labels().size();
    }

    /** The twin compares no NaN, which those of negative sums are. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LOG", "SQRT", "RSQRT"})
    void aFunctionIsFolded(UnaryOp function) {
        assertEquals(0, added(value -> graph.add(new UnaryMathOp(function), value)));
    }

    @Test
    void limitsBehindAFunctionAreFolded() {
        assertEquals(0, added(value -> graph.add(RELU, graph.add(SILU, value))));
    }

    /** A convolution has a function first and limits then. */
    @Test
    void aFunctionBehindLimitsOrAnotherStays() {
        assertEquals(1, added(value -> graph.add(SILU, graph.add(RELU, value))));
        assertEquals(1, added(value -> graph.add(SILU, graph.add(new UnaryMathOp(UnaryOp.TANH), value))));
    }

    @Test
    void sumsThatAreAnAnswerTooStay() {
        // The function, and where the sums lie in blocks the layout of a second answer.
        assertNotEquals(0, added(value -> {
            graph.output(value, ImageStorage.DECLARED);
            return graph.add(SILU, value);
        }));
    }
}
