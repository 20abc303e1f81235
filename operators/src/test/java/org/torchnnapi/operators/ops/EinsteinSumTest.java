package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class EinsteinSumTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void sumsOverWhatTheResultLacks() {
        expect(tensor("einsum", "ij,kj->ik", list(Y, Y)), sizes(2, 2), 14, 13, 13, 26);
        expect(tensor("einsum", "...ii->...i", list(floats(sizes(1, 2, 2), 1, 2, 3, 4))), sizes(1, 2), 1, 4);
        expect(tensor("einsum", "ij->ji", list(Y)), sizes(3, 2), 3, 5, 1, 0, 2, -1);
        expect(tensor("einsum", "i,i", list(vector(1, 2), vector(3, 4))), sizes(), 11);
        expect(
                tensor("einsum", "ab,bc,cd->ad", list(Y, floats(sizes(3, 1), 1, 1, 1), floats(sizes(1, 2), 1, 2))),
                sizes(2, 2),
                6,
                12,
                4,
                8);
    }

    @Test
    void badEquationsAreRefused() {
        for (String equation : new String[] {"ij,jk->ik", "ijk->i", "ij->ik", "i1->i"}) {
            assertThrows(IllegalArgumentException.class, () -> tensor("einsum", equation, list(Y)), equation);
        }
        expect(tensor("einsum", "ij->", list(Y)), sizes(), 10);
    }

    @Test
    void sumsOfWholeNumbersAreLong() {
        expect(
                tensor("einsum", "ij->i", list(Tensor.of(DType.INT32, new int[] {1, 2, 3, 4}, 2, 2))),
                DType.INT64,
                sizes(2),
                3,
                7);
    }

    @Test
    void plainSumsMakeWholeNumbersWide() {
        Tensor ones = Tensor.of(DType.INT8, new byte[] {1, 1, 1, 1, 1, 1}, 2, 3);
        Tensor factor = Tensor.of(DType.INT8, new byte[] {1, 2}, 2);
        Op.expect(Op.tensor("einsum", "ij,i->i", Op.list(ones, factor), null), DType.INT64, Op.sizes(2), 3, 6);
        Op.expect(Op.tensor("einsum", "ij,ij->i", Op.list(ones, ones), null), DType.INT8, Op.sizes(2), 3, 3);
    }
}
