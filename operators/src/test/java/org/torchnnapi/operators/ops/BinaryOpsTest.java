package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Sums, products, quotients and remainders. Expected values are genuine PyTorch's. */
class BinaryOpsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);

    @Test
    void addsAndSubtractsWithAlpha() {
        expect(tensor("add.Tensor", X, Y, 2L), sizes(2, 3), -0.5, 3, -6, 1.5, 1, 11);
        expect(tensor("add.Scalar", I, 1.5, 1L), sizes(2, 3), -5.5, 3.5, 4.5, 5.5, -3.5, 7.5);
        expect(tensor("sub.Tensor", I, J, 1L), DType.INT64, sizes(2, 3), -9, 5, -1, 2, -2, 2);
        expect(tensor("rsub.Scalar", X, 1L, 1L), sizes(2, 3), 3.5, 2, 1, 0.5, -0.5, -2);
        expect(
                tensor("add_.Tensor", floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3), Y, 1L),
                sizes(2, 3),
                -1.5,
                1,
                -3,
                1,
                1.25,
                7);
    }

    @Test
    void multipliesAndDivides() {
        expect(tensor("mul.Tensor", X, J), sizes(2, 3), -5, 3, 0, 1, -4.5, 12);
        expect(tensor("div.Tensor", I, J), sizes(2, 3), -3.5, -0.666666687, 0.75, 2, 1.66666663, 1.5);
        expect(tensor("div.Tensor_mode", I, J, "floor"), DType.INT64, sizes(2, 3), -4, -1, 0, 2, 1, 1);
        expect(tensor("div.Tensor_mode", I, J, "trunc"), DType.INT64, sizes(2, 3), -3, 0, 0, 2, 1, 1);
        expect(tensor("div.Tensor_mode", X, Y, "floor"), sizes(2, 3), -3, -1, -0, 1, -6, 0);
        expect(tensor("floor_divide", I, J), DType.INT64, sizes(2, 3), -4, -1, 0, 2, 1, 1);
    }

    @Test
    void remaindersFollowTheDivisor() {
        expect(tensor("remainder.Tensor", I, J), DType.INT64, sizes(2, 3), 1, -1, 3, 0, -2, 2);
        expect(tensor("fmod.Tensor", I, J), DType.INT64, sizes(2, 3), -1, 2, 3, 0, -2, 2);
        expect(tensor("remainder.Scalar", X, -2L), sizes(2, 3), -0.5, -1, 0, -1.5, -0.5, -1);
    }

    @Test
    void smallIntegersWrapAndPromote() {
        expect(
                tensor(
                        "add.Tensor",
                        Tensor.of(DType.UINT8, new byte[] {(byte) 250, 3, 7}, 3),
                        Tensor.of(DType.UINT8, new byte[] {(byte) 250, 3, 7}, 3),
                        1L),
                DType.UINT8,
                sizes(3),
                244,
                6,
                14);
        expect(
                tensor("mul.Tensor", Tensor.of(DType.UINT8, new byte[] {(byte) 250, 3, 7}, 3), J),
                DType.INT64,
                sizes(3),
                500,
                -9,
                28);
        expect(
                tensor(
                        "add.Tensor",
                        Tensor.of(DType.UINT8, new byte[] {(byte) 250, 3, 7}, 3),
                        floats(sizes(), 2.5),
                        1L),
                sizes(3),
                252.5,
                5.5,
                9.5);
    }

    @Test
    void refusesShapesThatDoNotMeetAndLostResults() {
        assertThrows(IllegalArgumentException.class, () -> tensor("add.Tensor", X, floats(sizes(2), 1, 2), 1L));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("add_.Tensor", Tensor.of(new long[] {1}, 1), floats(sizes(1), 0.5), 1L));
        assertThrows(IllegalArgumentException.class, () -> tensor("floor_divide", J, Tensor.of(new long[] {0}, 1)));
    }

    /** Broadcast dimensions say nothing about the order in memory. */
    @Test
    void resultsLieAsTheirOperands() {
        Tensor repeated = Op.tensor("expand", Op.floats(Op.sizes(1, 2, 2), 1, 2, 3, 4), Op.ints(3, 2, 2));
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new int[] {4, 2, 1}, Op.tensor("add.Scalar", repeated, 0.0, 1L).strides());
        Tensor turned = Op.tensor("permute", Op.floats(Op.sizes(2, 1, 3), 1, 2, 3, 4, 5, 6), Op.ints(2, 1, 0));
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new int[] {1, 3, 3}, Op.tensor("add.Scalar", turned, 0.0, 1L).strides());
    }

    @Test
    void quotientsAreRoundedBeforeTheyAreCutOff() {
        Tensor x = floats(sizes(1), 14.75);
        Tensor y = floats(sizes(1), 2.953125);
        expect(
                tensor("div.Tensor_mode", tensor("to.dtype", x, 15L), tensor("to.dtype", y, 15L), "trunc"),
                DType.BFLOAT16,
                sizes(1),
                5);
        expect(tensor("div.Tensor_mode", x, y, "trunc"), sizes(1), 4);
    }
}
