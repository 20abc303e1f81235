package org.torchnnapi.operators.range;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;

class NumberRangeTest {
    @Test
    void typesBoundTheirNumbers() {
        assertEquals(new NumberRange(-128, 127), NumberRange.of(DType.INT8));
        assertEquals(new NumberRange(0, 255), NumberRange.of(DType.UINT8));
        assertEquals(NumberRange.TRUTH, NumberRange.of(DType.BOOL));
        assertEquals(NumberRange.ANY, NumberRange.of(DType.FLOAT32));
    }

    @Test
    void whatLeavesATypeMayBeAnythingOfIt() {
        assertEquals(new NumberRange(-3, 4), new NumberRange(-2.5, 3.5).as(DType.INT8));
        assertEquals(NumberRange.of(DType.INT8), new NumberRange(0, 128).as(DType.INT8));
        assertEquals(
                NumberRange.INT64, NumberRange.INT64.plus(NumberRange.INT64).as(DType.INT64));
    }

    @Test
    void productsOfNothingAreNothing() {
        assertEquals(NumberRange.of(0), NumberRange.ANY.times(NumberRange.of(0)));
        assertEquals(new NumberRange(-6, 4), new NumberRange(-2, 3).times(new NumberRange(-2, 1)));
        assertEquals(new NumberRange(0, 3), new NumberRange(-3, 2).magnitude());
        assertEquals(new NumberRange(1, 3), new NumberRange(-3, -1).magnitude());
    }

    @Test
    void boundsAreInOrder() {
        assertThrows(IllegalArgumentException.class, () -> new NumberRange(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new NumberRange(Double.NaN, 0));
        assertEquals(NumberRange.ANY, NumberRange.around(Double.NaN, 1));
    }

    @Test
    void textSaysBounds() {
        assertEquals("0 to 999", new NumberRange(0, 999).text());
        assertEquals("any of 64 bits", NumberRange.INT64.text());
        assertEquals("any of 64 bits", NumberRange.ANY.text());
    }
}
