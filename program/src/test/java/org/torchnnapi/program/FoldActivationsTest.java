package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** A function or limits behind a convolution become part of it where they may, and never show. */
class FoldActivationsTest {
    private static final UnaryMathOp SILU = new UnaryMathOp(UnaryOp.SILU);
    private static final ClampOp RELU = new ClampOp(Clamp.RELU);

    private GraphBuilder graph;

    /** Steps that this adds to those of a convolution. */
    private int added(IntUnaryOperator behind) {
        return steps(behind) - steps(value -> value);
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
        // The function, and the layout of a second answer.
        assertEquals(2, added(value -> {
            graph.output(value, ImageStorage.DECLARED);
            return graph.add(SILU, value);
        }));
    }
}
