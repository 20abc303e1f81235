package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.passes.DeadCode;

class DeadCodeTest {
    @Test
    void dropsWhatNobodyUses() {
        assertEquals(
                List.of("aten::neg"),
                kinds(DeadCode::run, "a = torch.abs(x)", "b = torch.mul(a, 2)", "return torch.neg(x)"));
    }

    @Test
    void keepsWhatActs() {
        assertEquals(
                List.of("aten::add_", "aten::neg"),
                kinds(DeadCode::run, "_0 = torch.add_(x, 1)", "return torch.neg(x)"));
    }

    @Test
    void keepsOperatorsNobodyKnows() {
        assertEquals(
                "aten::frobnicate",
                kinds(DeadCode::run, "_0 = torch.frobnicate(x)", "return torch.neg(x)")
                        .get(0));
    }
}
