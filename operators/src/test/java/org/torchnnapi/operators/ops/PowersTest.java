package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Powers and related functions. Expected values are genuine PyTorch's. */
class PowersTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);

    @Test
    void powers() {
        expect(tensor("pow.Tensor_Scalar", X, 3L), sizes(2, 3), -15.625, -1, 0, 0.125, 3.375, 27);
        expect(
                tensor("pow.Tensor_Tensor", floats(sizes(2), 2, 4), floats(sizes(2), 0.5, -1)),
                sizes(2),
                1.41421354,
                0.25);
        expect(tensor("pow.Scalar", 2.0, X), sizes(2, 3), 0.176776692, 0.5, 1, 1.41421354, 2.82842708, 8);
        expect(tensor("pow.Tensor_Scalar", I, 2L), DType.INT64, sizes(2, 3), 49, 4, 9, 16, 25, 36);
        expect(
                tensor("atan2", X, Y),
                sizes(2, 3),
                -1.19028997,
                -0.463647604,
                3.14159274,
                0.785398185,
                1.73594499,
                0.643501103);
    }

    @Test
    void mixtures() {
        expect(tensor("lerp.Scalar", X, Y, 0.25), sizes(2, 3), -1.625, -0.25, -0.75, 0.5, 1.0625, 3.25);
        expect(tensor("lerp.Scalar", vector(3e38), vector(-3e38), 0.5), sizes(1), Double.POSITIVE_INFINITY);
        expect(tensor("addcmul", X, Y, Y, 0.5), sizes(2, 3), -2, 1, 4.5, 0.625, 1.53125, 11);
        expect(
                tensor("addcdiv", X, Y, floats(sizes(2, 3), 11, 12, 7, 10.5, 9.75, 14), 2.0),
                sizes(2, 3),
                -2.31818175,
                -0.666666627,
                -0.857142866,
                0.59523809,
                1.44871795,
                3.57142854);
        expect(tensor("hypot", X, Y), sizes(2, 3), 2.69258237, 2.23606801, 3, 0.707106769, 1.52069068, 5);
    }

    @Test
    void wholeNumbersHaveWholeFactors() {
        expect(tensor("addcmul", longs(1, 2), longs(3, 4), longs(5, 6), 2.75), DType.INT64, sizes(2), 31, 50);
        long large = (1L << 55) + 1;
        Tensor sum = tensor("addcmul", longs(large), longs(3), longs(large), 5L);
        assertEquals(16 * large, Elements.longs(sum)[0]);
    }

    @Test
    void stepsAndLogarithmsOfSums() {
        expect(tensor("heaviside", floats(sizes(3), -1, 0, 2), floats(sizes(3), 5, 6, 7)), sizes(3), 0, 6, 1);
        expect(tensor("logaddexp2", floats(sizes(2), 1, 2), floats(sizes(2), 8, 4)), sizes(2), 8.01122761, 4.32192802);
    }

    @Test
    void powersOfOneAreOne() {
        Tensor exponents = Op.vector(Double.NaN, Double.POSITIVE_INFINITY, 2);
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new float[] {1, 1, 1}, Op.tensor("pow.Scalar", 1L, exponents).toFloatArray());
    }

    @Test
    void theSignOfANumberGoesToBytesToo() {
        Tensor bytes = Tensor.of(org.torchnnapi.tensor.DType.UINT8, new byte[] {3}, 1);
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new float[] {-3}, Op.tensor("copysign.Scalar", bytes, -1L).toFloatArray());
    }
}
