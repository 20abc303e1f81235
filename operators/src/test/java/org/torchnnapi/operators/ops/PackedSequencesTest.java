package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class PackedSequencesTest {
    @Test
    void packsByStepAndBack() {
        Tensor padded = floats(sizes(3, 2, 1), 1, 4, 2, 5, 3, 0);
        Tensor[] packed = tensors("_pack_padded_sequence", padded, longs(3, 2), false);
        expect(packed[0], sizes(5, 1), 1, 4, 2, 5, 3);
        expect(packed[1], sizes(3), 2, 2, 1);
        Tensor[] back = tensors("_pad_packed_sequence", packed[0], packed[1], false, -1.0, 4L);
        expect(back[0], sizes(4, 2, 1), 1, 4, 2, 5, 3, -1, -1, -1);
        expect(back[1], sizes(2), 3, 2);
    }

    @Test
    void risingLengthsAreRefused() {
        Tensor padded = Tensor.zeros(DType.FLOAT32, 3, 2, 1);
        assertThrows(
                IllegalArgumentException.class, () -> tensors("_pack_padded_sequence", padded, longs(2, 3), false));
        assertThrows(
                IllegalArgumentException.class, () -> tensors("_pack_padded_sequence", padded, longs(4, 1), false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors("_pad_packed_sequence", vector(1, 2), longs(1, 2), false, 0.0, 0L));
    }
}
