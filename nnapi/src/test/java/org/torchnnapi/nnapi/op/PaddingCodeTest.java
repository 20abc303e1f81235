package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.WindowAxis;

class PaddingCodeTest {
    private static final OperationContext CONTEXT =
            new OperationContext(OperationType.CONV_2D, new OperandValue[0], new OperandValue[0]);

    @Test
    void codesAreThoseOfTheHeader() {
        assertEquals(WindowAxis.same(8, 3, 2, 1), PaddingCode.window(1, 8, 3, 2, 1));
        assertEquals(WindowAxis.of(8, 3, 2, 1, 0, 0), PaddingCode.window(2, 8, 3, 2, 1));
        assertEquals(6, PaddingCode.window(PaddingCode.VALID, 8, 3, 1, 1).output());
    }

    @Test
    void badGeometryIsNamedWithItsOperation() {
        refused("CONV_2D: stride: 0 (expected: >= 1)", 1, 8, 3, 0);
        refused("CONV_2D: padding code: 3 (expected: 1 (same) or 2 (valid))", 3, 8, 3, 1);
        refused("CONV_2D: filter span: 3 (expected: <= padded input, 2)", 2, 2, 3, 1);
        refused("CONV_2D: padded input: 2147483654 (expected: <= 1073741824)", 1, 8, Integer.MAX_VALUE, 1);
    }

    private static void refused(String message, int code, int input, int filter, int stride) {
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> Window.checked(CONTEXT, () -> PaddingCode.window(code, input, filter, stride, 1)));
        assertEquals(message, e.getMessage());
        assertEquals(ResultCode.BAD_DATA, e.resultCode());
    }
}
