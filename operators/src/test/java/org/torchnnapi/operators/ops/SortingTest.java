package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class SortingTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void ordersWithNanLast() {
        Tensor[] sorted = tensors("sort", floats(sizes(2, 3), 3, 1, 2, Double.NaN, 0, -1), 1L, false);
        expect(sorted[0], sizes(2, 3), 1, 2, 3, -1, 0, Double.NaN);
        expect(sorted[1], sizes(2, 3), 1, 2, 0, 2, 1, 0);
        expect(tensor("argsort", Y, 0L, true), sizes(2, 3), 1, 0, 0, 0, 1, 1);
    }

    @Test
    void picksByRank() {
        Tensor[] top = tensors("topk", Y, 2L, 1L, true, true);
        expect(top[0], sizes(2, 2), 3, 2, 5, 0);
        expect(top[1], sizes(2, 2), 0, 2, 0, 1);
        expect(tensors("kthvalue", Y, 2L, 1L, false)[0], sizes(2), 2, 0);
        expect(tensors("median.dim", Y, 1L, true)[0], sizes(2, 1), 2, 0);
        Tensor[] mode = tensors("mode", Tensor.of(new long[] {2, 1, 2, 1, 3, 3, 0, 0}, 2, 4), 1L, false);
        expect(mode[0], sizes(2), 1, 0);
        expect(mode[1], sizes(2), 3, 3);
        assertThrows(IllegalArgumentException.class, () -> tensors("topk", Y, 4L, 1L, true, true));
        assertThrows(IllegalArgumentException.class, () -> tensors("kthvalue", Y, 0L, 1L, false));
    }
}
