package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.passes.ForkInlining;

class ForksTest {
    @Test
    void becomeWhatTheyDo() {
        assertEquals(
                List.of("aten::neg", "aten::abs", "aten::add"),
                kinds(
                        ForkInlining::run,
                        "def work():",
                        "  return torch.neg(x)",
                        "f = fork(work)",
                        "y = torch.abs(x)",
                        "return torch.add(y, torch.wait(f))"));
    }

    @Test
    void inForks() {
        assertEquals(
                List.of("aten::neg", "aten::abs"),
                kinds(
                        ForkInlining::run,
                        "def work():",
                        "  def inner():",
                        "    return torch.neg(x)",
                        "  g = fork(inner)",
                        "  return torch.abs(torch.wait(g))",
                        "f = fork(work)",
                        "return torch.wait(f)"));
    }

    /** The verifier wants the types of lists, loops and branches to be those of the results. */
    @Test
    void inLists() {
        List<String> kinds = kinds(
                ForkInlining::run,
                "fs = annotate(List[Future[Tensor]], [])",
                "def work():",
                "  return torch.neg(x)",
                "f = fork(work)",
                "_0 = torch.append(fs, f)",
                "y = x",
                "for i in range(torch.len(fs)):",
                "  g = fs[i]",
                "  y = torch.add(y, torch.wait(g))",
                "if flag:",
                "  h = fs[0]",
                "else:",
                "  h = f",
                "return torch.add(y, torch.wait(h))");
        assertTrue(
                kinds.stream().noneMatch(kind -> kind.equals("prim::fork") || kind.equals("aten::wait")),
                kinds.toString());
    }
}
