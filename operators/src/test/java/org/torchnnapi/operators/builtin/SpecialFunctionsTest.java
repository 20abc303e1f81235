package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SpecialFunctionsTest {
    @Test
    void valuesOfTables() {
        assertEquals(0.8427007929497149, SpecialFunctions.erf(1), 1e-15);
        assertEquals(2.209049699858544e-5, SpecialFunctions.erfc(3), 1e-18);
        assertEquals(24, SpecialFunctions.gamma(5), 1e-12);
        assertEquals(Math.log(24), SpecialFunctions.lgamma(5), 1e-13);
        assertEquals(Math.log(2 * Math.sqrt(Math.PI)), SpecialFunctions.lgamma(-0.5), 1e-13);
    }
}
