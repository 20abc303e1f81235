package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Activation functions. Expected values are genuine PyTorch's. */
class ActivationOperatorsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);

    @Test
    void cornersAndSlopes() {
        expect(tensor("relu", X), sizes(2, 3), 0, 0, 0, 0.5, 1.5, 3);
        expect(tensor("relu6", floats(sizes(2, 3), -10, -4, 0, 2, 6, 12)), sizes(2, 3), 0, 0, 0, 2, 6, 6);
        expect(tensor("hardtanh", X, -1.0, 2.0), sizes(2, 3), -1, -1, 0, 0.5, 1.5, 2);
        expect(tensor("leaky_relu", X, 0.1), sizes(2, 3), -0.25, -0.100000001, 0, 0.5, 1.5, 3);
        expect(tensor("threshold", X, 0.6, 9.0), sizes(2, 3), 9, 9, 9, 9, 1.5, 3);
        expect(tensor("hardshrink", X, 1.0), sizes(2, 3), -2.5, 0, 0, 0, 1.5, 3);
        expect(tensor("softshrink", X, 0.75), sizes(2, 3), -1.75, -0.25, 0, 0, 0.75, 2.25);
        expect(tensor("prelu", X, floats(sizes(3), 0.5, 0.25, 2)), sizes(2, 3), -1.25, -0.25, 0, 0.5, 1.5, 3);
    }

    @Test
    void curves() {
        expect(
                tensor("sigmoid", X),
                sizes(2, 3),
                0.0758581758,
                0.268941432,
                0.5,
                0.622459352,
                0.817574441,
                0.952574134);
        expect(tensor("tanh", X), sizes(2, 3), -0.986614287, -0.761594176, 0, 0.462117165, 0.905148268, 0.995054781);
        expect(tensor("silu", X), sizes(2, 3), -0.189645454, -0.268941432, 0, 0.311229676, 1.22636163, 2.85772252);
        expect(tensor("mish", X), sizes(2, 3), -0.196816191, -0.30340144, 0, 0.375245243, 1.40337825, 2.98653507);
        expect(tensor("hardswish", X), sizes(2, 3), -0.208333328, -0.333333343, 0, 0.291666657, 1.125, 3);
        expect(tensor("hardsigmoid", X), sizes(2, 3), 0.0833333358, 0.333333343, 0.5, 0.583333313, 0.75, 1);
        expect(tensor("selu", X), sizes(2, 3), -1.61378574, -1.11133075, 0, 0.525350511, 1.57605147, 3.15210295);
        expect(
                tensor("log_sigmoid", X),
                sizes(2, 3),
                -2.57888985,
                -1.31326175,
                -0.693147182,
                -0.474076986,
                -0.201413289,
                -0.048587352);
        expect(tensor("celu", X, 0.5), sizes(2, 3), -0.496631026, -0.432332367, 0, 0.5, 1.5, 3);
        expect(tensor("elu", X, 2.0, 1.5, 0.5), sizes(2, 3), -2.14048553, -1.180408, 0, 0.75, 2.25, 4.5);
        expect(
                tensor("softplus", X, 2.0, 5.0),
                sizes(2, 3),
                0.00335767423,
                0.0634640008,
                0.346573591,
                0.656630814,
                1.52429366,
                3);
        expect(
                tensor("gelu", X, "none"),
                sizes(2, 3),
                -0.0155241787,
                -0.158655286,
                0,
                0.345731199,
                1.39978909,
                2.99595022);
        expect(
                tensor("gelu", X, "tanh"),
                sizes(2, 3),
                -0.0150842965,
                -0.158807993,
                0,
                0.345714003,
                1.39957154,
                2.99636269);
        expect(tensor("glu", floats(sizes(1, 4), 1, 2, -1, 0.5), -1L), sizes(1, 2), 0.268941432, 1.2449187);
    }

    @Test
    void inPlaceFormsChangeTheirArgument() {
        Tensor t = floats(sizes(3), -1, 0.5, 9);
        tensor("relu_", t);
        expect(t, sizes(3), 0, 0.5, 9);
        tensor("hardtanh_", t, 0.0, 6.0);
        expect(t, sizes(3), 0, 0.5, 6);
    }

    @Test
    void boundsInTheWrongOrderGiveTheUpperOne() {
        expect(tensor("hardtanh", floats(sizes(3), -2, 0, 2), 0.5, -0.5), sizes(3), -0.5, -0.5, -0.5);
    }

    @Test
    void thresholdsKeepWholeNumbers() {
        expect(tensor("threshold", Tensor.of(new long[] {1, 5}, 2), 2L, 3L), DType.INT64, sizes(2), 3, 5);
    }

    @Test
    void wholeNumbersKeepAllTheirBitsBetweenLimits() {
        Tensor given = Op.longs(1998795201, -5, 16777217, (1L << 62) + 1);
        assertArrayEquals(
                new long[] {1998795201, 0, 16777217, (1L << 62) + 1}, Elements.longs(Op.tensor("relu", given)));
        assertArrayEquals(new long[] {6, 0, 6, 6}, Elements.longs(Op.tensor("relu6", given)));
        assertArrayEquals(
                new long[] {1998795201, 2, 16777217, (1L << 62) + 1},
                Elements.longs(Op.tensor("threshold", given, 1.5, 2.5)));
    }

    @Test
    void thresholdsAreOfTheTypeOfWhatTheyLimit() {
        Tensor bytes = Tensor.of(DType.UINT8, new byte[] {3, (byte) 200}, 2);
        assertArrayEquals(new long[] {7, 7}, Elements.longs(Op.tensor("threshold", bytes, -1L, 7L)));
        long odd = (1L << 53) + 1;
        assertArrayEquals(new long[] {odd, odd}, Elements.longs(Op.tensor("threshold", Op.longs(odd, -odd), 0L, odd)));
    }

    @Test
    void softshrinkOfNanIsZero() {
        assertArrayEquals(
                new float[] {0, 0.5f},
                Op.tensor("softshrink", Op.vector(Double.NaN, 1), 0.5).toFloatArray());
    }

    @Test
    void someGiveRowsHoweverTheirInputLies() {
        Tensor turned = Op.floats(new int[] {2, 3}, 1, -2, 3, -4, 5, -6).permute(1, 0);
        assertTrue(Op.tensor("prelu", turned, Op.vector(0.5)).isContiguous());
        assertTrue(Op.tensor("log_sigmoid", turned).isContiguous());
        assertFalse(Op.tensor("relu", turned).isContiguous());
    }
}
