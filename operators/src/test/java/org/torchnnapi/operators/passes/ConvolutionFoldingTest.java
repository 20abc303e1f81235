package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.graph;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Literals;

class ConvolutionFoldingTest {
    private static final String CONVOLUTION = "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [0, 0], [1, 1], 1)";
    private static final Tensor WEIGHT = Tensor.of(new float[] {1, 2}, 2, 1, 1, 1);

    private static Graph folded(List<Tensor> further, String... body) {
        List<Tensor> constants = new ArrayList<>(List.of(WEIGHT));
        constants.addAll(further);
        return graph(
                graph -> {
                    ConvolutionFolding.run(graph);
                    DeadCode.run(graph);
                },
                constants,
                body);
    }

    private static void expect(Graph graph, float[] weight, float[] bias) {
        List<Node> nodes = graph.block().nodes().stream()
                .filter(n -> n.kind().startsWith("aten::"))
                .toList();
        assertEquals(List.of("aten::conv2d"), nodes.stream().map(Node::kind).toList());
        assertArrayEquals(
                weight,
                ((Tensor) Literals.of(nodes.get(0).input(1)).orElseThrow().value()).toFloatArray());
        assertArrayEquals(
                bias, ((Tensor) Literals.of(nodes.get(0).input(2)).orElseThrow().value()).toFloatArray());
    }

    @Test
    void foldsBatchNormalisation() {
        // Variances 3.75 and 15.75 with an epsilon of 0.25: factors 2 / 2 and 4 / 4; (0 - mean) * factor + shift.
        List<Tensor> norm = List.of(
                Tensor.of(new float[] {2, 4}, 2),
                Tensor.of(new float[] {1, 1}, 2),
                Tensor.of(new float[] {3, 5}, 2),
                Tensor.of(new float[] {3.75f, 15.75f}, 2));
        expect(
                folded(
                        norm,
                        CONVOLUTION,
                        "return torch.batch_norm(y, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, CONSTANTS.c4, False, "
                                + "0.1, 0.25, True)"),
                new float[] {1, 2},
                new float[] {-2, -4});
    }

    @Test
    void foldsAcrossChecksOfSizes() {
        List<Tensor> norm = List.of(
                Tensor.of(new float[] {2, 4}, 2),
                Tensor.of(new float[] {1, 1}, 2),
                Tensor.of(new float[] {3, 5}, 2),
                Tensor.of(new float[] {3.75f, 15.75f}, 2));
        String normalized =
                "torch.batch_norm(y, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, CONSTANTS.c4, False, 0.1, 0.25, True)";
        assertEquals(
                List.of("aten::conv2d", "aten::dim"),
                kinds(folded(norm, CONVOLUTION, "n = torch.dim(y)", "print(n)", "return " + normalized)));
        assertEquals(
                List.of("aten::conv2d", "aten::sum", "aten::batch_norm"),
                kinds(folded(norm, CONVOLUTION, "n = torch.sum(y)", "print(n)", "return " + normalized)));
    }

    private static List<String> kinds(Graph graph) {
        return graph.block().nodes().stream()
                .map(Node::kind)
                .filter(kind -> kind.startsWith("aten::"))
                .toList();
    }

    @Test
    void foldsNumbers() {
        expect(folded(List.of(), CONVOLUTION, "return torch.add(y, 3)"), new float[] {1, 2}, new float[] {3, 3});
        expect(folded(List.of(), CONVOLUTION, "return torch.sub(y, 3, alpha=2)"), new float[] {1, 2}, new float[] {
            -6, -6
        });
        expect(folded(List.of(), CONVOLUTION, "return torch.mul(y, 0.5)"), new float[] {0.5f, 1}, new float[] {0, 0});
        expect(folded(List.of(), CONVOLUTION, "return torch.div(y, 4)"), new float[] {0.25f, 0.5f}, new float[] {0, 0});
    }

    @Test
    void foldsOneValueAChannel() {
        expect(
                folded(
                        List.of(Tensor.of(new float[] {10, 100}, 1, 2, 1, 1)),
                        CONVOLUTION,
                        "return torch.mul(y, CONSTANTS.c1)"),
                new float[] {10, 200},
                new float[] {0, 0});
    }

    @Test
    void leavesValuesThatVaryOverPixels() {
        Graph graph = folded(
                List.of(Tensor.of(new float[] {1, 2}, 1, 1, 1, 2)), CONVOLUTION, "return torch.mul(y, CONSTANTS.c1)");
        assertEquals(
                1, graph.block().nodes().stream().filter(n -> n.is("aten::mul")).count());
    }

    @Test
    void leavesAConvolutionThatIsReadTwice() {
        Graph graph = folded(List.of(), CONVOLUTION, "z = torch.mul(y, 2)", "return torch.add(z, y)");
        assertEquals(
                1, graph.block().nodes().stream().filter(n -> n.is("aten::mul")).count());
    }
}
