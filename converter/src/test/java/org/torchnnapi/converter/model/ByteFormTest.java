package org.torchnnapi.converter.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Quantization;

class ByteFormTest {
    private static final Quantization.PerTensor Q = new Quantization.PerTensor(0.1, 7);

    private static ByteForm form(int place, int difference) {
        byte[] exact = new byte[256];
        exact[5] = (byte) 200;
        byte[] made = exact.clone();
        made[place] += (byte) difference;
        return new ByteForm("f", "ADD", Q, Q, exact, made);
    }

    @Test
    void oneQuantumIsCloseAndTwoAreNot() {
        assertTrue(form(5, 0).isClose());
        assertTrue(form(5, 1).isClose());
        assertTrue(form(5, -1).isClose());
        assertFalse(form(5, 2).isClose());
        // 255 beside 0, which differ by one as signed bytes.
        assertFalse(form(6, -1).isClose());
        assertEquals(0, form(5, 0).differing());
        assertEquals(1, form(5, 1).differing());
    }

    @Test
    void textTellsTheFurthestOff() {
        assertEquals("equal for all values", ByteForm.text(List.of(form(5, 0))));
        assertEquals(
                "one quantum off for at most 1 of 256 values, equal for the others",
                ByteForm.text(List.of(form(5, 0), form(5, 1))));
        assertEquals("one quantum off at most", ByteForm.text(List.of(ByteForm.byRule("f", "MUL", Q, Q))));
    }

    @Test
    void isOfItsOwnFunctionOnly() {
        ByteForm form = form(5, 1);
        assertTrue(form.isOf(Q, Q, form.exact()));
        assertFalse(form.isOf(Q, Q, form.made()));
        assertFalse(form.isOf(new Quantization.PerTensor(0.1, 8), Q, form.exact()));
        assertFalse(ByteForm.byRule("f", "MUL", Q, Q).isOf(Q, Q, new byte[256]));
        assertEquals(form, form(5, 1));
    }
}
