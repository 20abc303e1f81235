package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.passes.ControlFlowFolding;

class ControlFlowFoldingTest {
    @Test
    void takesTheBranchOfAKnownCondition() {
        assertEquals(
                List.of("aten::abs"),
                kinds(Passes::simplify, "if False:", "  y = torch.neg(x)", "else:", "  y = torch.abs(x)", "return y"));
    }

    @Test
    void keepsBothBranchesOfAnOpenCondition() {
        assertEquals(
                List.of("prim::If", "aten::neg", "aten::abs"),
                kinds(Passes::simplify, "if flag:", "  y = torch.neg(x)", "else:", "  y = torch.abs(x)", "return y"));
    }

    /** It fails when it runs, with an error of its own. */
    @Test
    void leavesWhatIsNoCondition() {
        assertEquals(
                List.of("prim::If", "aten::neg", "aten::abs"),
                kinds(
                        Passes::simplify,
                        "if unchecked_cast(Any, 5):",
                        "  y = torch.neg(x)",
                        "else:",
                        "  y = torch.abs(x)",
                        "return y"));
    }

    @Test
    void unrollsALoopOfKnownLength() {
        assertEquals(
                List.of("aten::neg", "aten::neg", "aten::neg"),
                kinds(Passes::simplify, "y = x", "for i in range(3):", "  y = torch.neg(y)", "return y"));
    }

    @Test
    void dropsALoopThatNeverRuns() {
        assertEquals(
                List.of(), kinds(Passes::simplify, "y = x", "for i in range(0):", "  y = torch.neg(y)", "return y"));
    }

    @Test
    void keepsALoopThatIsTooLong() {
        assertEquals(
                List.of("prim::Loop", "aten::neg"),
                kinds(Passes::simplify, "y = x", "for i in range(1000000):", "  y = torch.neg(y)", "return y"));
    }

    @Test
    void takesAllBranchesInOneRound() {
        List<String> body = new ArrayList<>(List.of("y = x"));
        for (int i = 0; i < 200; i++) {
            body.addAll(List.of("if torch.eq(1, 2):", "  y = torch.neg(y)", "else:", "  y = torch.abs(y)"));
        }
        body.add("return y");
        assertEquals(Collections.nCopies(200, "aten::abs"), kinds(Passes::simplify, body.toArray(new String[0])));
    }

    @Test
    void keepsLoopsThatTogetherAreTooLong() {
        List<String> body = new ArrayList<>(List.of("y = x"));
        for (int i = 0; i < 12; i++) {
            body.addAll(List.of("for i in range(9000):", "  y = torch.neg(y)"));
        }
        body.add("return y");
        long left = kinds(ControlFlowFolding::run, body.toArray(new String[0])).stream()
                .filter("prim::Loop"::equals)
                .count();
        assertEquals(7, left);
    }
}
