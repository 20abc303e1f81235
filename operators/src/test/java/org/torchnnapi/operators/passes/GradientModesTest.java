package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.GradientModes;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;

class GradientModesTest {
    private static final String MODE = """
        class %1$s:
          prev : bool
          def __enter__(self: __torch__.torch.autograd.grad_mode.%1$s) -> NoneType:
            self.prev = torch.is_grad_enabled()
            torch.set_grad_enabled(False)
            return None
          def __exit__(self: __torch__.torch.autograd.grad_mode.%1$s, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
            torch.set_grad_enabled(self.prev)
            return None
        """;

    private static List<String> kinds(String inner) {
        String text = "def f(x: Tensor) -> Tensor:\n  m = __torch__.torch.autograd.grad_mode.no_grad.__new__(__torch__.torch.autograd.grad_mode.no_grad)\n"
            + "  with m:\n    " + inner + "\n  return y\n";
        Map<String, String> files = Map.of("code/__torch__/m.py", text, "code/__torch__/torch/autograd/grad_mode.py", MODE.formatted("no_grad"));
        CodeArchive archive = new CodeArchive() {
            @Override
            public String source(String entry) {
                return files.get(entry);
            }

            @Override
            public Object constant(int index) {
                throw new AssertionError(index);
            }
        };
        Graph graph = new CodeLoader(archive, OperatorRegistry.withBuiltins()).function("__torch__.m.f").graph();
        GradientModes.run(graph);
        List<String> kinds = new ArrayList<>();
        EachNode.over(graph, node -> kinds.add(node.kind()));
        return kinds;
    }

    @Test
    void goWhereNobodyAsks() {
        assertEquals(List.of("prim::CreateObject", "aten::neg"), kinds("y = torch.neg(x)"));
    }

    @Test
    void stayWhereTheCodeAsks() {
        assertTrue(kinds("y = torch.mul(x, int(torch.is_grad_enabled()))").containsAll(List.of("prim::Enter", "prim::Exit")));
    }
}
