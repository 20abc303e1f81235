package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the branches when a model is converted is in the converter's tests. */
class MaskedBranchesTest {
    private static void assertStays(boolean stays, String condition, String more) {
        List<String> kinds = PassesUnderTest.kinds(
                MaskedBranches::run,
                "m = torch.gt(torch.select(x, 1, 0), 0.1)",
                "y = torch.neg(x)",
                "if " + condition + ":",
                "  _0 = torch.index_put_(y, annotate(List[Optional[Tensor]], [m]), "
                        + "torch.relu(torch.index(x, annotate(List[Optional[Tensor]], [m]))))",
                "  " + more,
                "else:",
                "  pass",
                "return torch.mul(y, 2)");
        assertEquals(stays, kinds.contains("prim::If"), condition + ": " + more);
    }

    @Test
    void branchesThatAskWhatTheirMaskPicksAreTaken() {
        for (String condition : List.of(
                "bool(torch.any(m))",
                "bool(torch.gt(torch.sum(m), 0))",
                "torch.gt(torch.len(torch.nonzero(m)), 0)",
                "torch.ge(torch.numel(torch.index(x, annotate(List[Optional[Tensor]], [m]))), 1)")) {
            assertStays(false, condition, "pass");
        }
    }

    @Test
    void branchesThatDoMoreStay() {
        // Another mask than the one that is asked about, all of the tensor, and more than one row, not some.
        assertStays(true, "bool(torch.any(torch.lt(x, 0)))", "pass");
        assertStays(true, "bool(torch.any(m))", "_1 = torch.mul_(y, 3)");
        assertStays(true, "torch.gt(torch.len(torch.nonzero(m)), 1)", "pass");
    }
}
