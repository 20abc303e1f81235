package org.torchnnapi.converter.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.converter.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;

class ControlFlowTest {
    @Test
    void takesTheBranchOfAKnownCondition() {
        assertEquals(List.of("aten::abs"), kinds(Passes::simplify, "if False:", "  y = torch.neg(x)", "else:", "  y = torch.abs(x)", "return y"));
    }

    @Test
    void keepsBothBranchesOfAnOpenCondition() {
        assertEquals(List.of("prim::If", "aten::neg", "aten::abs"),
            kinds(Passes::simplify, "if flag:", "  y = torch.neg(x)", "else:", "  y = torch.abs(x)", "return y"));
    }

    @Test
    void unrollsALoopOfKnownLength() {
        assertEquals(List.of("aten::neg", "aten::neg", "aten::neg"),
            kinds(Passes::simplify, "y = x", "for i in range(3):", "  y = torch.neg(y)", "return y"));
    }

    @Test
    void dropsALoopThatNeverRuns() {
        assertEquals(List.of(), kinds(Passes::simplify, "y = x", "for i in range(0):", "  y = torch.neg(y)", "return y"));
    }

    @Test
    void keepsALoopThatIsTooLong() {
        assertEquals(List.of("prim::Loop", "aten::neg"),
            kinds(Passes::simplify, "y = x", "for i in range(1000000):", "  y = torch.neg(y)", "return y"));
    }
}
