package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;

class NumberTensorsTest {
    private static final String NUMBER = "n = ops.prim.NumToTensor(torch.size(x, 0))";

    @Test
    void aNumberMadeATensorAndANumberAgainIsTheNumber() {
        assertEquals(
                List.of("aten::size", "aten::add"), kinds(Passes::simplify, NUMBER, "return torch.add(x, int(n))"));
    }

    @Test
    void anotherKindOfNumberIsNotTheSame() {
        assertEquals(
                List.of("aten::size", "prim::NumToTensor", "aten::Float", "aten::add"),
                kinds(Passes::simplify, NUMBER, "return torch.add(x, float(n))"));
    }
}
