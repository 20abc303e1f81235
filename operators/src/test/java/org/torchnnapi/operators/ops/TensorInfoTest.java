package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** What tensors tell about themselves. */
class TensorInfoTest {
    @Test
    void tellsSizesStridesAndKind() {
        Tensor t = tensor("t", floats(sizes(2, 3), 1, 2, 3, 4, 5, 6));
        assertEquals("[3, 2]", Op.call("size", t).toString());
        assertEquals(2L, Op.call("size.int", t, -1L));
        assertEquals(1L, Op.call("stride.int", t, 0L));
        assertEquals(2L, Op.call("dim", t));
        assertEquals(6L, Op.call("numel", t));
        assertEquals(false, Op.call("is_contiguous", t));
        assertEquals(true, Op.call("is_floating_point", t));
        assertEquals(false, Op.call("is_floating_point", longs(1)));
        assertThrows(IndexOutOfBoundsException.class, () -> Op.call("size.int", t, 2L));
    }
}
