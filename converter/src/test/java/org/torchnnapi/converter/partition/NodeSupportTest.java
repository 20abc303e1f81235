package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

class NodeSupportTest {
    private static final Tensor X = FreeUnderTest.random(2, 3);

    /** A specialised graph of a function, and what is known of it. */
    private record Specialised(Graph graph, PartialEvaluation.Facts facts) {
        static Specialised of(Tensor x, String... body) {
            ScriptModule module = FreeUnderTest.module(List.of(), "Tensor", body);
            Graph graph = Passes.pure(module.object(), "forward", Set.of());
            return new Specialised(graph, PartialEvaluation.run(graph, List.of(x), module.object()));
        }

        NodeSupport support(Target target) {
            return NodeSupport.of(graph, facts, target, Set.of(), SizeTrial.NONE.step(graph));
        }
    }

    private static List<String> kinds(Set<Node> nodes) {
        return nodes.stream().map(Node::kind).sorted().toList();
    }

    @Test
    void whatHasNoLoweringIsRefusedByItself() {
        NodeSupport support =
                Specialised.of(X, "torch.relu(torch.lgamma(torch.sigmoid(x)))").support(Target.DEFAULT);
        assertEquals(List.of("aten::relu", "aten::sigmoid"), kinds(support.supported()));
        assertEquals(List.of("aten::lgamma"), kinds(support.refused()));
        Refusal refusal = support.refusals().get(0);
        assertEquals("no NNAPI operation for this operator", refusal.rule());
        assertEquals(List.of("float32[2, 3]"), refusal.operands());
    }

    /** 7 * (2^31 - 1) has more than 32 bits, as what enters may be as large as that. */
    @Test
    void numbersBeyond32BitsAreRefused() {
        NodeSupport support = Specialised.of(Tensor.of(new long[] {1, 2, 3}, 3), "torch.mul(x, 7)")
                .support(Target.DEFAULT);
        assertEquals(List.of("aten::mul"), kinds(support.refused()));
        assertEquals(
                "NNAPI's whole numbers have 32 bits", support.refusals().get(0).rule());
    }

    /** Asking changes conditions to see whether NNAPI computes a branch as it is, and leaves the graph as it was. */
    @Test
    void askingLeavesBranchesAsTheyWere() {
        Specialised graph = Specialised.of(
                X,
                "if bool(torch.gt(torch.sum(x), 0)):\n      y = torch.relu(x)\n    else:\n      y = torch.neg(x)",
                "y");
        List<String> before = new ArrayList<>();
        collect(graph.graph().block(), before);
        NodeSupport own = graph.support(Target.DEFAULT.withOwnRuntime(true));
        assertTrue(
                kinds(own.supported()).contains("prim::If"),
                () -> own.refusals().toString());
        assertTrue(own.refusals().isEmpty());
        NodeSupport loaders = graph.support(Target.DEFAULT);
        assertTrue(kinds(loaders.supported()).containsAll(List.of("aten::relu", "aten::neg")));
        List<String> after = new ArrayList<>();
        collect(graph.graph().block(), after);
        assertEquals(before, after);
    }

    private static void collect(Block block, List<String> kinds) {
        for (Node node : block.nodes()) {
            kinds.add(node.kind() + " of " + node.inputs().size());
            node.blocks().forEach(inner -> collect(inner, kinds));
        }
    }
}
