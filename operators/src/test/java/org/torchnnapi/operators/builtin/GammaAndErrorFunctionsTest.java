package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GammaAndErrorFunctionsTest {
    @Test
    void valuesOfTables() {
        assertEquals(0.8427007929497149, GammaAndErrorFunctions.erf(1), 1e-15);
        assertEquals(2.209049699858544e-5, GammaAndErrorFunctions.erfc(3), 1e-18);
        assertEquals(24, GammaAndErrorFunctions.gamma(5), 1e-12);
        assertEquals(Math.log(24), GammaAndErrorFunctions.lgamma(5), 1e-13);
        assertEquals(Math.log(2 * Math.sqrt(Math.PI)), GammaAndErrorFunctions.lgamma(-0.5), 1e-13);
    }
}
