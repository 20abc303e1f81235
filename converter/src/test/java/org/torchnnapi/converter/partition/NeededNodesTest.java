package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Freeze;

class NeededNodesTest {
    private static final String[] WRITTEN = {
        "a = torch.sin(x)",
        "z = torch.zeros_like(x)",
        "before = torch.cos(z)",
        "_0 = torch.copy_(z, a)",
        "b = torch.mul(z, 2.)",
        "w = torch.ones_like(x)",
        "_1 = torch.copy_(w, torch.exp(b))",
        "c = torch.neg(w)"
    };

    private static Node first(Graph graph, String kind) {
        return graph.block().nodes().stream()
                .filter(node -> node.is(kind))
                .findFirst()
                .get();
    }

    /** What runs for the result of one node, where that of another is given; constants and lists aside. */
    private static List<String> needed(String wanted, String given, boolean stands, String... body) {
        Graph graph = Freeze.run(FreeUnderTest.module(List.of(), "Tensor", body).object(), "forward", Set.of());
        Set<Value> known = Collections.newSetFromMap(new IdentityHashMap<>());
        if (given != null) {
            known.add(first(graph, given).output());
        }
        Set<Node> needed = NeededNodes.of(
                graph.block(), List.of(first(graph, wanted).output()), known, PartialEvaluation.writers(graph));
        assertEquals(stands, !known.isEmpty(), "whether what is given is read");
        List<String> kinds = new ArrayList<>();
        graph.block().nodes().stream()
                .filter(node -> needed.contains(node) && !node.kind().startsWith("prim::"))
                .forEach(node -> kinds.add(node.kind()));
        return kinds;
    }

    private static String[] body(String... last) {
        List<String> body = new ArrayList<>(List.of(WRITTEN));
        body.addAll(List.of(last));
        return body.toArray(new String[0]);
    }

    @Test
    void whatWritesElsewhereIsLeftOut() {
        assertEquals(
                List.of("aten::sin", "aten::zeros_like", "aten::copy_", "aten::mul"),
                needed("aten::mul", null, false, body("torch.add(c, before)")));
        assertEquals(
                List.of(
                        "aten::sin",
                        "aten::zeros_like",
                        "aten::copy_",
                        "aten::mul",
                        "aten::ones_like",
                        "aten::exp",
                        "aten::copy_",
                        "aten::neg"),
                needed("aten::neg", null, false, body("torch.add(c, before)")));
    }

    @Test
    void whatIsGivenIsNotComputed() {
        assertEquals(List.of("aten::mul"), needed("aten::mul", "aten::zeros_like", true, body("torch.add(c, before)")));
        assertEquals(
                List.of("aten::ones_like", "aten::exp", "aten::copy_", "aten::neg"),
                needed("aten::neg", "aten::mul", true, body("torch.add(c, before)")));
    }

    /** What a value is in the end is not what it was before it was written to. */
    @Test
    void readersThatComeBeforeWritersReadWhatTheyDid() {
        assertEquals(
                List.of("aten::zeros_like", "aten::cos"),
                needed(
                        "aten::cos",
                        null,
                        false,
                        "z = torch.zeros_like(x)",
                        "before = torch.cos(z)",
                        "torch.add(before, z)"));
        assertEquals(
                List.of("aten::sin", "aten::zeros_like", "aten::cos", "aten::copy_"),
                needed("aten::cos", "aten::zeros_like", false, body("torch.add(c, before)")));
    }

    /** Who writes again would write to what is given. */
    @Test
    void whatIsWrittenUnderAnotherNameIsComputed() {
        assertEquals(
                List.of("aten::zeros_like", "aten::view", "aten::sin", "aten::copy_", "aten::neg"),
                needed(
                        "aten::neg",
                        "aten::zeros_like",
                        false,
                        "z = torch.zeros_like(x)",
                        "v = torch.view(z, [-1])",
                        "_0 = torch.copy_(z, torch.sin(x))",
                        "torch.neg(v)"));
    }

    @Test
    void checksAreLeftOutAndRandomNumbersAreDrawnAlike() {
        String[] checked = {
            "a = torch.sin(x)",
            "if bool(torch.gt(torch.sum(torch.exp(x)), 1e10)):",
            "  ops.prim.RaiseException(\"too large\")",
            "else:",
            "  pass",
            "torch.neg(a)"
        };
        assertEquals(List.of("aten::sin", "aten::neg"), needed("aten::neg", null, false, checked));
        assertEquals(
                List.of("aten::rand_like", "aten::rand_like", "aten::neg", "aten::add"),
                needed(
                        "aten::neg",
                        null,
                        false,
                        "a = torch.rand_like(x)",
                        "b = torch.rand_like(x)",
                        "c = torch.neg(b)",
                        "torch.add(c, a)"));
    }
}
