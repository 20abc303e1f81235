package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Views. Expected values are genuine PyTorch's. */
class TensorShapeTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);

    @Test
    void slicesAndSelects() {
        expect(tensor("select.int", counted(2, 3, 4), 1L, -1L), sizes(2, 4), 8, 9, 10, 11, 20, 21, 22, 23);
        expect(
                tensor("slice.Tensor", counted(2, 3, 4), 2L, 1L, null, 2L),
                sizes(2, 3, 2),
                1,
                3,
                5,
                7,
                9,
                11,
                13,
                15,
                17,
                19,
                21,
                23);
        expect(
                tensor("slice.Tensor", counted(2, 3, 4), 1L, -2L, 99L, 1L),
                sizes(2, 2, 4),
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23);
        expect(
                tensor("narrow", counted(2, 3, 4), 2L, 1L, 2L),
                sizes(2, 3, 2),
                1,
                2,
                5,
                6,
                9,
                10,
                13,
                14,
                17,
                18,
                21,
                22);
    }

    @Test
    void reordersAndReshapes() {
        expect(
                tensor("permute", counted(2, 3, 4), ints(2, 0, 1)),
                sizes(4, 2, 3),
                0,
                4,
                8,
                12,
                16,
                20,
                1,
                5,
                9,
                13,
                17,
                21,
                2,
                6,
                10,
                14,
                18,
                22,
                3,
                7,
                11,
                15,
                19,
                23);
        expect(
                tensor("transpose.int", counted(2, 3, 4), 0L, -1L),
                sizes(4, 3, 2),
                0,
                12,
                4,
                16,
                8,
                20,
                1,
                13,
                5,
                17,
                9,
                21,
                2,
                14,
                6,
                18,
                10,
                22,
                3,
                15,
                7,
                19,
                11,
                23);
        expect(
                tensor("view", counted(2, 3, 4), ints(4, -1)),
                sizes(4, 6),
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23);
        expect(
                tensor(
                        "reshape",
                        floats(
                                sizes(4, 2, 3),
                                0,
                                4,
                                8,
                                12,
                                16,
                                20,
                                1,
                                5,
                                9,
                                13,
                                17,
                                21,
                                2,
                                6,
                                10,
                                14,
                                18,
                                22,
                                3,
                                7,
                                11,
                                15,
                                19,
                                23),
                        ints(6, 4)),
                sizes(6, 4),
                0,
                4,
                8,
                12,
                16,
                20,
                1,
                5,
                9,
                13,
                17,
                21,
                2,
                6,
                10,
                14,
                18,
                22,
                3,
                7,
                11,
                15,
                19,
                23);
        expect(
                tensor("flatten.using_ints", counted(2, 3, 4), 1L, -1L),
                sizes(2, 12),
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23);
        expect(
                tensor("unsqueeze", counted(2, 3, 4), -2L),
                sizes(2, 3, 1, 4),
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23);
        expect(
                tensor("squeeze.dim", counted(2, 1, 12), 1L),
                sizes(2, 12),
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23);
        expect(
                tensor("movedim.intlist", counted(2, 3, 4), ints(0), ints(2)),
                sizes(3, 4, 2),
                0,
                12,
                1,
                13,
                2,
                14,
                3,
                15,
                4,
                16,
                5,
                17,
                6,
                18,
                7,
                19,
                8,
                20,
                9,
                21,
                10,
                22,
                11,
                23);
        expect(tensor("t", X), sizes(3, 2), -2.5, 0.5, -1, 1.5, 0, 3);
        expect(tensor("diagonal", X, 1L, 0L, 1L), sizes(2), -1, 3);
        expect(tensor("unfold", floats(sizes(5), 1, 2, 3, 4, 5), 0L, 3L, 2L), sizes(2, 3), 1, 2, 3, 3, 4, 5);
        expect(tensor("expand", floats(sizes(2, 1), 1, 2), ints(-1, 3)), sizes(2, 3), 1, 1, 1, 2, 2, 2);
    }

    @Test
    void writesThroughAViewReachTheBase() {
        Tensor base = floats(sizes(2, 2), 1, 2, 3, 4);
        tensor("relu_", tensor("neg_", tensor("select.int", base, 0L, 1L)));
        expect(base, sizes(2, 2), 1, 2, 0, 0);
    }

    @Test
    void refusesImpossibleViews() {
        assertThrows(IllegalArgumentException.class, () -> tensor("view", X, ints(4)));
        assertThrows(IllegalArgumentException.class, () -> tensor("view", tensor("t", X), ints(6)));
        assertThrows(IndexOutOfBoundsException.class, () -> tensor("select.int", X, 0L, 2L));
        assertThrows(IllegalArgumentException.class, () -> tensor("expand", X, ints(4, 3)));
    }

    @Test
    void numbersHaveNoRowsToTranspose() {
        expect(tensor("mT", floats(sizes(), 3)), sizes(), 3);
        assertThrows(IllegalArgumentException.class, () -> tensor("mT", floats(sizes(2), 1, 2)));
        expect(tensor("narrow_copy", floats(sizes(3), 1, 2, 3), 0L, 1L, 2L), sizes(2), 2, 3);
    }

    @Test
    void theDimensionThatNumbersLackIsMoved() {
        Tensor number = Op.tensor("sum", Op.vector(1, 2));
        org.junit.jupiter.api.Assertions.assertEquals(
                3, Op.tensor("movedim.int", number, 0L, -1L).getDouble(0));
    }
}
