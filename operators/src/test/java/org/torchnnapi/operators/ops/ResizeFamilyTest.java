package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ResizeFamilyTest {
    @Test
    void elementsStayInTheirOrder() {
        Tensor t = vector(1, 2, 3, 4);
        assertSame(t, tensor("resize_", t, ints(2, 1)));
        expect(t, sizes(2, 1), 1, 2);
        expect(tensor("resize_", t, ints(3)), sizes(3), 1, 2, 3);
        expect(tensor("resize_", t, ints(5)), sizes(5), 1, 2, 3, 4, 0);
        expect(tensor("resize_as_", t, floats(sizes(1, 2), 8, 9)), sizes(1, 2), 1, 2);
        assertThrows(IllegalArgumentException.class, () -> tensor("resize_", t, ints(-1)));
    }

    @Test
    void aTensorBecomesAnother() {
        Tensor t = vector(1, 2);
        Tensor other = floats(sizes(2, 2), 1, 2, 3, 4);
        assertEquals(false, Op.call("is_set_to", t, other));
        tensor("set_.source_Tensor", t, other);
        assertEquals(true, Op.call("is_set_to", t, other));
        expect(tensor("set_.source_Tensor_storage_offset", t, other, 1L, ints(3), ints(1)), sizes(3), 2, 3, 4);
        expect(tensor("set_", t), sizes(0));
        assertThrows(IllegalArgumentException.class, () -> tensor("set_.source_Tensor", t, longs(1)));
    }
}
