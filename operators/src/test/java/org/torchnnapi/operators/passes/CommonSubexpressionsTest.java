package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;

class CommonSubexpressionsTest {
    @Test
    void computesEqualThingsOnce() {
        assertEquals(
                List.of("aten::neg", "aten::add"),
                kinds(Passes::simplify, "a = torch.neg(x)", "b = torch.neg(x)", "return torch.add(a, b)"));
    }

    @Test
    void keepsWhatDiffersInAnArgument() {
        assertEquals(
                List.of("aten::mul", "aten::mul", "aten::add"),
                kinds(Passes::simplify, "a = torch.mul(x, 2)", "b = torch.mul(x, 2.)", "return torch.add(a, b)"));
    }

    @Test
    void keepsRandomNumbersApart() {
        assertEquals(
                List.of("aten::rand_like", "aten::rand_like", "aten::add"),
                kinds(Passes::simplify, "a = torch.rand_like(x)", "b = torch.rand_like(x)", "return torch.add(a, b)"));
    }

    @Test
    void keepsContainersOfOtherTypesApart() {
        assertEquals(
                List.of("prim::ListConstruct", "prim::ListConstruct", "aten::cat", "aten::index"),
                kinds(
                        Passes::simplify,
                        "a = [x]",
                        "b = annotate(List[Optional[Tensor]], [x])",
                        "return torch.index(torch.cat(a), b)"));
    }
}
