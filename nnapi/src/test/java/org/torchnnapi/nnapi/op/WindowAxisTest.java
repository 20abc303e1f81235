package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;

class WindowAxisTest {
    private static final OperationContext CONTEXT = new OperationContext(OperationType.CONV_2D, new OperandValue[0], new OperandValue[0]);

    private static WindowAxis same(int input, int filter, int stride, int dilation) {
        return WindowAxis.implicit(CONTEXT, input, filter, stride, dilation, WindowAxis.SAME);
    }

    @Test
    void samePaddingCoversTheInputWithTheOddZeroAtTheTail() {
        assertEquals(4, same(8, 3, 2, 1).output());
        assertEquals(0, same(8, 3, 2, 1).padHead(), "one zero in all: at the tail");
        assertEquals(1, same(8, 3, 1, 1).padHead());
        assertEquals(2, same(8, 3, 1, 2).padHead());
        assertEquals(0, same(8, 1, 3, 1).padHead());
        assertEquals(-1, same(8, 3, 1, 1).start(0));
    }

    @Test
    void validPaddingAddsNothing() {
        assertEquals(6, WindowAxis.implicit(CONTEXT, 8, 3, 1, 1, WindowAxis.VALID).output());
        assertEquals(3, WindowAxis.implicit(CONTEXT, 8, 3, 2, 1, WindowAxis.VALID).output());
        assertEquals(4, WindowAxis.implicit(CONTEXT, 8, 3, 1, 2, WindowAxis.VALID).output());
    }

    @Test
    void explicitPadding() {
        WindowAxis axis = WindowAxis.explicit(CONTEXT, 5, 3, 2, 1, 2, 1);
        assertEquals(3, axis.output());
        assertEquals(2, axis.start(2));
    }

    @Test
    void badGeometryIsNamed() {
        NnapiException e = assertThrows(NnapiException.class, () -> same(8, 3, 0, 1));
        assertEquals("CONV_2D: stride: 0 (expected: >= 1)", e.getMessage());
        assertThrows(NnapiException.class, () -> same(8, 0, 1, 1));
        assertThrows(NnapiException.class, () -> same(8, 3, 1, 0));
        assertThrows(NnapiException.class, () -> WindowAxis.implicit(CONTEXT, 8, 3, 1, 1, 3));
        assertThrows(NnapiException.class, () -> WindowAxis.explicit(CONTEXT, 8, 3, 1, 1, -1, 0));
        assertThrows(NnapiException.class, () -> WindowAxis.explicit(CONTEXT, 2, 3, 1, 1, 0, 0));
        assertTrue(same(Integer.MAX_VALUE, Integer.MAX_VALUE, 1, Integer.MAX_VALUE).padHead() >= 0, "no overflow");
    }
}
