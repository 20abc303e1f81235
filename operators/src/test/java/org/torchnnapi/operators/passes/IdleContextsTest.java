package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.passes.ContextManagerElimination;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;

class IdleContextsTest {
    private static final String NO_GRAD = "__torch__.torch.autograd.grad_mode.no_grad";
    private static final String RECORD = "__torch__.torch.autograd.profiler.record_function";
    private static final Map<String, String> CLASSES =
            Map.of("code/__torch__/torch/autograd/grad_mode.py", """
        class no_grad:
          prev : bool
          def __enter__(self: __torch__.torch.autograd.grad_mode.no_grad) -> NoneType:
            self.prev = torch.is_grad_enabled()
            torch.set_grad_enabled(False)
            return None
          def __exit__(self: __torch__.torch.autograd.grad_mode.no_grad, exc_type: Any, exc_value: Any, traceback: \
        Any) -> NoneType:
            torch.set_grad_enabled(self.prev)
            return None
        """, "code/__torch__/torch/autograd/profiler.py", """
        class record_function:
          handle : Tensor
          def __enter__(self: __torch__.torch.autograd.profiler.record_function) -> \
        __torch__.torch.autograd.profiler.record_function:
            self.handle = ops.profiler._record_function_enter("part", None)
            return self
          def __exit__(self: __torch__.torch.autograd.profiler.record_function, exc_type: Any, exc_value: Any, \
        traceback: Any) -> NoneType:
            ops.profiler._record_function_exit(self.handle)
            return None
        """);

    private static Graph graph(String context, String inner) {
        Map<String, String> files = new HashMap<>(CLASSES);
        files.put(
                "code/__torch__/m.py",
                "def f(x: Tensor) -> Tensor:\n  m = " + context + ".__new__(" + context + ")\n  with m:\n    " + inner
                        + "\n  return y\n");
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
        return new CodeLoader(archive, OperatorRegistry.withBuiltins())
                .function("__torch__.m.f")
                .graph();
    }

    private static List<String> kinds(String context, String inner) {
        Graph graph = graph(context, inner);
        ContextManagerElimination.run(graph);
        List<String> kinds = new ArrayList<>();
        EachNode.over(graph, node -> kinds.add(node.kind()));
        return kinds;
    }

    @Test
    void goWhereNobodyAsks() {
        assertEquals(List.of("prim::CreateObject", "aten::neg"), kinds(NO_GRAD, "y = torch.neg(x)"));
    }

    @Test
    void stayWhereTheCodeAsks() {
        assertTrue(kinds(NO_GRAD, "y = torch.mul(x, int(torch.is_grad_enabled()))")
                .containsAll(List.of("prim::Enter", "prim::Exit")));
    }

    @Test
    void recordingsGoAlsoWhereTheCodeAsksForTheMode() {
        assertFalse(
                kinds(RECORD, "y = torch.mul(x, int(torch.is_grad_enabled()))").contains("prim::Enter"));
    }
}
