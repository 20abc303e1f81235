package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.graph;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;

class ConstantFoldingTest {
    @Test
    void computesWhatIsKnown() {
        Graph graph = graph(
                Passes::simplify,
                List.of(Tensor.of(new float[] {1, -2}, 2)),
                "y = torch.mul(CONSTANTS.c0, 3.)",
                "return torch.add(x, torch.abs(y))");
        Node add = graph.block().nodes().stream()
                .filter(n -> n.is("aten::add"))
                .findFirst()
                .orElseThrow();
        assertArrayEquals(
                new float[] {3, 6},
                ((Tensor) Literals.of(add.input(1)).orElseThrow().value()).toFloatArray());
    }

    @Test
    void answersTestsForNoneByType() {
        assertEquals(
                List.of("aten::neg"),
                kinds(
                        Passes::simplify,
                        "if torch.__is__(x, None):",
                        "  y = torch.abs(x)",
                        "else:",
                        "  y = torch.neg(x)",
                        "return y"));
    }

    @Test
    void leavesWhatIsWrittenToLater() {
        assertEquals(
                List.of("aten::zeros", "aten::copy_"),
                kinds(
                                ConstantFolding::run,
                                "y = torch.zeros([2], dtype=None, layout=None, device=None, pin_memory=False)",
                                "_0 = torch.copy_(y, x)",
                                "return y")
                        .stream()
                        .filter(kind -> kind.startsWith("aten::"))
                        .toList());
    }

    @Test
    void leavesWhatAPartOfIsWrittenToLater() {
        assertEquals(
                List.of("aten::zeros", "aten::select", "aten::copy_"),
                kinds(
                                ConstantFolding::run,
                                "y = torch.zeros([2], dtype=None, layout=None, device=None, pin_memory=False)",
                                "_0 = torch.copy_(torch.select(y, 0, 0), x)",
                                "return y")
                        .stream()
                        .filter(kind -> kind.startsWith("aten::"))
                        .toList());
    }

    @Test
    void leavesWhatFails() {
        assertEquals(
                List.of("aten::floordiv", "aten::mul"),
                kinds(g -> ConstantFolding.run(g), "k = torch.floordiv(1, 0)", "return torch.mul(x, k)"));
    }

    @Test
    void knownTensorsAreKnownLists() {
        assertEquals(
                List.of("aten::sum"),
                kinds(
                        Passes::simplify,
                        "dims = annotate(List[int], (torch.arange(0, 1)).tolist())",
                        "return torch.sum(x, dims)"));
    }
}
