package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Indexing by tensors. Expected values are genuine PyTorch's. */
class TensorAdvancedIndexingTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor B = Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 0, 0, 1}, 2, 3);

    @Test
    void reads() {
        expect(
                tensor("index.Tensor", counted(2, 3, 4), list(Tensor.of(new long[] {1, 0}, 2))),
                sizes(2, 3, 4),
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
                23,
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
                11);
        expect(
                tensor(
                        "index.Tensor",
                        counted(2, 3, 4),
                        new ScriptList(
                                Type.optional(Type.Basic.TENSOR),
                                Arrays.asList(null, Tensor.of(new long[] {1, 0, -1}, 3)))),
                sizes(2, 3, 4),
                4,
                5,
                6,
                7,
                0,
                1,
                2,
                3,
                8,
                9,
                10,
                11,
                16,
                17,
                18,
                19,
                12,
                13,
                14,
                15,
                20,
                21,
                22,
                23);
        expect(
                tensor(
                        "index.Tensor",
                        counted(2, 3, 4),
                        new ScriptList(
                                Type.optional(Type.Basic.TENSOR),
                                Arrays.asList(Tensor.of(new long[] {0, 1}, 2), null, Tensor.of(new long[] {3, 2}, 2)))),
                sizes(2, 3),
                3,
                7,
                11,
                14,
                18,
                22);
        expect(tensor("index.Tensor", X, list(B)), sizes(3), -2.5, 0, 3);
        expect(tensor("index_select", X, 1L, Tensor.of(new long[] {2, 0}, 2)), sizes(2, 2), 0, -2.5, 3, 0.5);
        expect(tensor("take", X, Tensor.of(new long[] {0, 5}, 2)), sizes(2), -2.5, 3);
    }

    @Test
    void writes() {
        expect(
                tensor(
                        "index_put",
                        X,
                        list(Tensor.of(new long[] {1}, 1), Tensor.of(new long[] {2}, 1)),
                        floats(sizes(1), 7),
                        false),
                sizes(2, 3),
                -2.5,
                -1,
                0,
                0.5,
                1.5,
                7);
        expect(
                tensor(
                        "index_put",
                        X,
                        list(Tensor.of(new long[] {0, 0}, 2), Tensor.of(new long[] {1, 1}, 2)),
                        floats(sizes(2), 1, 2),
                        true),
                sizes(2, 3),
                -2.5,
                2,
                0,
                0.5,
                1.5,
                3);
        expect(tensor("index_put", X, list(B), floats(sizes(), 0), false), sizes(2, 3), 0, -1, 0, 0.5, 1.5, 0);
        expect(
                tensor("index_add", X, 1L, Tensor.of(new long[] {0, 0, 2}, 3), Y, 1L),
                sizes(2, 3),
                0.5,
                -1,
                -3,
                0.75,
                1.5,
                7);
        expect(
                tensor("index_copy", X, 0L, Tensor.of(new long[] {1}, 1), floats(sizes(1, 3), 1, 2, -3)),
                sizes(2, 3),
                -2.5,
                -1,
                0,
                1,
                2,
                -3);
        expect(
                tensor("index_fill.int_Scalar", X, 1L, Tensor.of(new long[] {1}, 1), 5.0),
                sizes(2, 3),
                -2.5,
                5,
                0,
                0.5,
                5,
                3);
    }

    @Test
    void refusesPositionsOutside() {
        assertThrows(
                IndexOutOfBoundsException.class, () -> tensor("index_select", X, 1L, Tensor.of(new long[] {3}, 1)));
        assertThrows(
                IndexOutOfBoundsException.class, () -> tensor("index.Tensor", X, list(Tensor.of(new long[] {2}, 1))));
    }

    @Test
    void numbersAreListsOfOne() {
        Tensor number = floats(sizes(), 3);
        Tensor first = longs(0);
        expect(tensor("index_select", number, 0L, first), sizes(), 3);
        expect(tensor("index_select", number, 0L, Op.longs(0, 0)), sizes(), 3);
        expect(tensor("index_add", number, 0L, first, vector(2)), sizes(), 5);
        expect(tensor("index_copy", number, 0L, first, vector(2)), sizes(), 2);
        expect(tensor("index_fill.int_Scalar", number, 0L, first, 7L), sizes(), 7);
        expect(tensor("index_fill.int_Scalar", Op.floats(sizes(0, 0)), 1L, first, 7L), sizes(0, 0));
        expect(number, sizes(), 3);
    }

    @Test
    void aMaskThatMarksNothingWritesNothing() {
        Tensor t = Op.floats(Op.sizes(2, 2), 1, 2, 3, 4);
        Tensor mask = Op.tensor("lt.Scalar", t, 0L);
        Op.expect(
                Op.tensor("index_put_", t, Op.list(mask), Op.floats(Op.sizes(), 9), false), Op.sizes(2, 2), 1, 2, 3, 4);
        Op.expect(Op.tensor("index.Tensor", t, Op.list(mask)), Op.sizes(0));
    }

    @Test
    void rowsWithoutElementsAreTaken() {
        Tensor none = Tensor.zeros(DType.FLOAT32, 3, 0);
        assertArrayEquals(
                new int[] {2, 0},
                Op.tensor("index_select", none, 0L, Op.longs(2, 1)).sizes());
    }
}
