package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;

class TuplesTest {
    @Test
    void connectsUnpackingWithTheTuple() {
        assertEquals(
                List.of("aten::neg", "aten::abs", "aten::sub"),
                kinds(Passes::simplify, "t = (torch.neg(x), torch.abs(x))", "a, b, = t", "return torch.sub(b, a)"));
    }

    @Test
    void connectsAnIndexWithTheList() {
        assertEquals(List.of("aten::abs"), kinds(Passes::simplify, "l = [torch.neg(x), torch.abs(x)]", "return l[-1]"));
    }

    @Test
    void leavesAListThatGrows() {
        assertEquals(
                List.of("aten::neg", "prim::ListConstruct", "aten::append", "aten::__getitem__"),
                kinds(Passes::simplify, "l = [torch.neg(x)]", "_0 = torch.append(l, x)", "return l[0]"));
    }

    @Test
    void aConstantIsTakenForWhatItIs() {
        assertEquals(
                List.of("aten::add"),
                kinds(
                        Passes::simplify,
                        "n = annotate(Optional[int], 3)",
                        "m = unchecked_cast(int, n)",
                        "return torch.add(x, m)"));
    }

    /** In a branch that is never taken, which is printed all the same, and loaded. */
    @Test
    void aConstantThatIsTakenForSomethingElseKeepsItsCast() {
        assertEquals(
                List.of("prim::unchecked_cast", "aten::neg"),
                kinds(Passes::simplify, "t = unchecked_cast(Tensor, 3)", "return torch.neg(t)"));
        assertEquals(
                List.of("prim::unchecked_cast", "aten::neg"),
                kinds(Passes::simplify, "t = unchecked_cast(Tensor, None)", "return torch.neg(t)"));
    }
}
