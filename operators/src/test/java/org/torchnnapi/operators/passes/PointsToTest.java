package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.PointsTo;

class PointsToTest {
    /** Whether variables a and b of a function of {@code x: Tensor, flag: bool} may share memory. */
    private static boolean share(String... body) {
        Graph graph = PassesUnderTest.graph(g -> {}, List.of(Tensor.of(new float[] {1}, 1)), body);
        return new PointsTo(graph).share(named(graph.block(), "a"), named(graph.block(), "b"));
    }

    private static Value named(Block block, String name) {
        return block.nodes().stream()
                .flatMap(node -> node.outputs().stream())
                .filter(value -> value.name() != null
                        && value.name().replaceAll("\\..*", "").equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name));
    }

    private static void assertShares(boolean expected, String... body) {
        assertEquals(expected, share(body), String.join("\n", body));
    }

    @Test
    void viewsShareAndNewTensorsDoNot() {
        assertShares(true, "a = torch.neg(x)", "b = torch.select(torch.t(a), 0, 0)", "return torch.add(a, b)");
        assertShares(false, "a = torch.neg(x)", "b = torch.abs(a)", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b = torch.relu_(a)", "return torch.add(a, b)");
        assertShares(false, "a = torch.neg(x)", "c = torch.neg(x)", "b = torch.cat([a, c])", "return b");
    }

    @Test
    void whatIsPutIntoAContainerIsInIt() {
        assertShares(
                true,
                "a = torch.neg(x)",
                "l = annotate(List[Tensor], [])",
                "_0 = torch.append(l, a)",
                "b = l[0]",
                "return torch.add(a, b)");
        assertShares(
                true,
                "a = torch.neg(x)",
                "d = annotate(Dict[str, Tensor], {})",
                "_0 = torch._set_item(d, \"k\", a)",
                "b = d[\"k\"]",
                "return torch.add(a, b)");
        assertShares(
                false,
                "a = torch.neg(x)",
                "c = torch.neg(x)",
                "l = annotate(List[Tensor], [])",
                "_0 = torch.append(l, c)",
                "b = l[0]",
                "return torch.add(a, b)");
    }

    @Test
    void whatIsMadeOfSeveralIsNew() {
        assertShares(true, "a = torch.neg(x)", "b = torch.einsum(\"i->i\", [a])", "return torch.add(a, b)");
        assertShares(false, "a = torch.neg(x)", "b = torch.einsum(\"i,i->i\", [a, x])", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b = torch.cartesian_prod([a])", "return torch.add(a, b)");
        assertShares(false, "a = torch.neg(x)", "b = torch.cartesian_prod([a, x])", "return torch.add(a, b)");
    }

    @Test
    void whatSharesThoughNoSchemaSaysSo() {
        assertShares(true, "a = torch.neg(x)", "b = torch.type_as(a, x)", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b, c, = torch.broadcast_tensors([a, x])", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b, c, = torch.meshgrid([a, a])", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b = torch.einsum(\"ij->ji\", [a])", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b = torch.dropout(a, 0.5, False)", "return torch.add(a, b)");
        assertShares(true, "a = torch.neg(x)", "b = torch.atleast_2d(a)", "return torch.add(a, b)");
    }

    @Test
    void waysOfBranchesAndLoopsShare() {
        assertShares(
                true,
                "a = torch.neg(x)",
                "if flag:",
                "  b = torch.t(a)",
                "else:",
                "  b = torch.neg(x)",
                "return torch.add(a, b)");
        assertShares(
                true,
                "a = torch.neg(x)",
                "c = a",
                "for i in range(3):",
                "  c = torch.abs(c)",
                "b = torch.t(c)",
                "return torch.add(a, b)");
    }

    @Test
    void constantsOfOneStorageShare() {
        assertShares(
                true, "a = torch.detach(CONSTANTS.c0)", "b = torch.detach(CONSTANTS.c0)", "return torch.add(a, b)");
    }
}
