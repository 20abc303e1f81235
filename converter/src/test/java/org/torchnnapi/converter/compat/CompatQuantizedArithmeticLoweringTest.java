package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;

class CompatQuantizedArithmeticLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void resultHasItsOwnQuantization() {
        Object a = g.input(InputSpec.quantized(0.5, 3, 2));
        Object b = g.input(InputSpec.quantized(0.25, 7, 2));
        g.lowersTo(
                g.op("quantized::mul", g.op("quantized::add_relu", a, b, 0.125, 5), b, 0.75, 9),
                "ADD[quint8[2]*0.5@3, quint8[2]*0.25@7, 1] -> quint8[2]*0.125@5",
                "MUL[quint8[2]*0.125@5, quint8[2]*0.25@7, 0] -> quint8[2]*0.75@9");
    }

    @Test
    void refusesFloats() {
        g.isRefused(g.op("quantized::add", g.floats(2), g.floats(2), 0.5, 0), "quint8");
    }
}
