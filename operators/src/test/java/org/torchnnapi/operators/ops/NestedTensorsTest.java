package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class NestedTensorsTest {
    private static final Tensor SEQUENCES = floats(sizes(2, 3, 1), 1, 2, 3, 4, 5, 6);

    private static Tensor mask(int... marks) {
        byte[] bytes = new byte[marks.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) marks[i];
        }
        return Tensor.of(DType.BOOL, bytes, 2, marks.length / 2);
    }

    @Test
    void withoutPaddingAndBack() {
        Object nested = call("_nested_tensor_from_mask", SEQUENCES, mask(1, 1, 0, 1, 0, 0), true);
        expect(tensor("to_padded_tensor", nested, 0.5, null), sizes(2, 2, 1), 1, 2, 4, 0.5);
        expect(tensor("to_padded_tensor", nested, 0.0, ints(2, 4, 1)), sizes(2, 4, 1), 1, 2, 0, 0, 4, 0, 0, 0);
        assertThrows(IllegalArgumentException.class, () -> call("to_padded_tensor", nested, 0.0, ints(2, 1, 1)));
        assertThrows(IllegalArgumentException.class, () -> call("to_padded_tensor", SEQUENCES, 0.0, null));
    }

    /** Without a check only lengths count, as in PyTorch. */
    @Test
    void masksWithGaps() {
        Tensor gaps = mask(0, 1, 1, 1, 1, 1);
        assertEquals(false, call("_nested_tensor_from_mask_left_aligned", SEQUENCES, gaps));
        assertEquals(true, call("_nested_tensor_from_mask_left_aligned", SEQUENCES, mask(1, 0, 0, 1, 1, 0)));
        assertThrows(IllegalArgumentException.class, () -> call("_nested_tensor_from_mask", SEQUENCES, gaps, true));
        expect(
                tensor("to_padded_tensor", call("_nested_tensor_from_mask", SEQUENCES, gaps, false), -1.0, null),
                sizes(2, 3, 1),
                1,
                2,
                -1,
                4,
                5,
                6);
        assertThrows(
                IllegalArgumentException.class,
                () -> call("_nested_tensor_from_mask", SEQUENCES, mask(1, 1, 1, 1), false));
    }

    @Test
    void otherOperatorsSayThatTheyTakeNone() {
        Object nested = call("_nested_tensor_from_mask", SEQUENCES, mask(1, 1, 0, 1, 0, 0), true);
        assertThrows(IllegalArgumentException.class, () -> call("relu", nested));
    }
}
