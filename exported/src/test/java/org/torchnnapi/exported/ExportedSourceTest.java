package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.exported.Pt2File.tensor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Programs that become modules. */
class ExportedSourceTest {
    private static final String ADD = "torch.ops.aten.add.Tensor";
    private static final String S = "Symbol('s0', positive=True, integer=True)";

    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static float[] run(ScriptModule module, Object... arguments) {
        return ((Tensor) module.call("forward", arguments)).toFloatArray();
    }

    private static Pt2File sum() {
        return new Pt2File()
                .weight("parameter", "a.bias", new int[] {2}, 10, 20)
                .argument("x", 2)
                .node(ADD, tensor("y"), "self", tensor("x"), "other", tensor("w_a_bias"))
                .result("y");
    }

    @Test
    void tensorsBelongToTheirModules() {
        ScriptModule module = sum().entry("extra/note.txt", "seen").load();
        assertArrayEquals(new float[] {11, 22}, run(module, floats(1, 2)));
        assertArrayEquals(
                new float[] {11, 22},
                ((Tensor) module.call("forward", List.of(), Map.of("x", floats(1, 2)))).toFloatArray());
        assertEquals("__torch__.net.Net", module.object().type().name());
        ScriptObject part = (ScriptObject) module.attribute("a");
        assertEquals("__torch__.net.Part", part.type().name());
        assertTrue(part.type().attributes().get(0).isParameter());
        assertEquals(
                "seen",
                StandardCharsets.UTF_8
                        .decode(module.source().extraFiles().get("note.txt"))
                        .toString());
        GraphVerifier.verify(module.method("forward").graph());
    }

    @Test
    void nodesKnowTheirLinesAndModules() {
        Node add = sum().load().method("forward").graph().block().nodes().stream()
                .filter(node -> node.is("aten::add"))
                .findFirst()
                .orElseThrow();
        assertEquals(
                new SourceRange.Python("net.py", 7, "return x"), add.range().python());
        assertEquals("a", add.range().module());
    }

    @Test
    void numbersInThePlaceOfTensorsArePromotedAsNumbers() {
        ScriptModule module = new Pt2File()
                .argument("x", 2)
                .node(ADD, tensor("y"), "self", tensor("x"), "other", "{'as_float': 0.5}")
                .result("y")
                .load();
        assertArrayEquals(new float[] {1.5f, 2.5f}, run(module, Tensor.of(new int[] {1, 2}, 2)));
    }

    @Test
    void sizesAreChecked() {
        ScriptModule module = sum().load();
        assertTrue(assertThrows(RuntimeException.class, () -> run(module, floats(1, 2, 3)))
                .getMessage()
                .contains("argument x: size 3 in dimension 0 (expected: 2"));
        assertTrue(assertThrows(
                        RuntimeException.class,
                        () -> run(module, Tensor.zeros(floats(1).dtype(), 1, 2)))
                .getMessage()
                .contains("2 dimensions (expected: 1)"));
    }

    private static Pt2File open(Object second) {
        return new Pt2File()
                .argument("x", S)
                .argument("z", second)
                .node(
                        "torch.ops.aten.cat.default",
                        tensor("y"),
                        "tensors",
                        "{'as_tensors': [{'name': 'x'}, {'name': 'z'}]}")
                .result("y");
    }

    @Test
    void symbolsRangesAndGuardsAreChecked() {
        ScriptModule same = open(S).range("'s0': {'min_val': 2, 'max_val': 3}").load();
        assertArrayEquals(new float[] {1, 2, 3, 4}, run(same, floats(1, 2), floats(3, 4)));
        assertThrows(RuntimeException.class, () -> run(same, floats(1, 2), floats(3)));
        assertThrows(RuntimeException.class, () -> run(same, floats(1), floats(3)));
        assertThrows(RuntimeException.class, () -> run(same, floats(1, 2, 3, 4), floats(1, 2, 3, 4)));
        ScriptModule longer = open("Add(" + S + ", Integer(1))").load();
        assertArrayEquals(new float[] {1, 2, 3}, run(longer, floats(1), floats(2, 3)));
        assertThrows(RuntimeException.class, () -> run(longer, floats(1), floats(2)));
        ScriptModule guarded = open("Symbol('s1')")
                .guard("(L['x'].size()[0] % 2) == L['z'].size()[0] - 1")
                .load();
        assertArrayEquals(new float[] {1, 2, 3}, run(guarded, floats(1, 2), floats(3)));
        assertThrows(RuntimeException.class, () -> run(guarded, floats(1), floats(2)));
        // A guard of functions that are not known here is passed over.
        assertArrayEquals(
                new float[] {1, 2},
                run(open("Symbol('s1')").guard("frobnicate(L['x'])").load(), floats(1), floats(2)));
    }

    @Test
    void multiplesAreSolvedFor() {
        ScriptModule module = new Pt2File()
                .argument("x", "Mul(Integer(4), " + S + ")")
                .node(ADD, tensor("y"), "self", tensor("x"), "other", "{'as_int': 1}")
                .result("y")
                .range("'s0': {'min_val': 1, 'max_val': 1}")
                .load();
        assertArrayEquals(new float[] {2, 3, 4, 5}, run(module, floats(1, 2, 3, 4)));
        assertThrows(RuntimeException.class, () -> run(module, floats(1, 2)));
        assertThrows(RuntimeException.class, () -> run(module, floats(1, 2, 3, 4, 5, 6, 7, 8)));
    }

    @Test
    void declaredMutationsAreWritten() {
        ScriptModule module = new Pt2File()
                .weight("buffer", "count", new int[] {1}, 5)
                .argument("x", 1)
                .node(ADD, tensor("y"), "self", tensor("w_count"), "other", tensor("x"))
                .bufferMutation("y", "count")
                .result("y")
                .load();
        assertArrayEquals(new float[] {7}, run(module, floats(2)));
        assertArrayEquals(new float[] {10}, run(module, floats(3)));
        assertArrayEquals(new float[] {10}, ((Tensor) module.attribute("count")).toFloatArray());
    }

    @Test
    void resultsHaveTheirStructure() {
        ScriptModule module = sum().result("x")
                .outSpec("{'type': 'package.Output', 'context': '[\\\\\\\"total\\\\\\\", \\\\\\\"given\\\\\\\"]', "
                        + "'children_spec': ["
                        + Pt2File.leaf() + ", " + Pt2File.leaf() + "]}")
                .load();
        ScriptDict result = (ScriptDict) module.call("forward", floats(1, 2));
        assertEquals(List.of("total", "given"), List.copyOf(result.items().keySet()));
        assertArrayEquals(new float[] {1, 2}, ((Tensor) result.items().get("given")).toFloatArray());
    }

    private static String branch(String operator) {
        return "{'as_graph': {'name': 'g', 'graph': {'inputs': [" + tensor("v") + "], 'outputs': [" + tensor("r")
                + "], 'nodes': [" + Pt2File.nodeText(operator, tensor("r"), "self", tensor("v"))
                + "], 'tensor_values': {}}}}";
    }

    @Test
    void graphsOfOperatorsBecomeBranches() {
        ScriptModule module = new Pt2File()
                .argument("x", 1)
                .node("torch.ops.aten.gt.Scalar", tensor("c"), "self", tensor("x"), "other", "{'as_int': 0}")
                .node(
                        "torch.ops.higher_order.cond",
                        tensor("y"),
                        "",
                        tensor("c"),
                        "",
                        branch("torch.ops.aten.neg.default"),
                        "",
                        branch("torch.ops.aten.abs.default"),
                        "",
                        "{'as_tensors': [{'name': 'x'}]}")
                .result("y")
                .load();
        assertArrayEquals(new float[] {-3}, run(module, floats(3)));
        assertArrayEquals(new float[] {4}, run(module, floats(-4)));
        GraphVerifier.verify(module.method("forward").graph());
    }

    @Test
    void whatVmapBatchesRunsForEachItem() {
        assertArrayEquals(new float[] {6, 15}, run(batchedSums(2), Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3)));
    }

    @Test
    void whatVmapMakesOfNoItemsHasTheSizesOfSome() {
        Tensor sums = (Tensor) batchedSums(0).call("forward", Tensor.zeros(DType.FLOAT32, 0, 3));
        assertArrayEquals(new int[] {0}, sums.sizes());
        assertEquals(DType.FLOAT32, sums.dtype());
    }

    private static ScriptModule batchedSums(int items) {
        String batch = "torch._functorch.predispatch.";
        String count = "{'as_int': " + items + "}";
        return new Pt2File()
                .argument("x", items, 3)
                .node(batch + "_vmap_increment_nesting", "{'as_none': true}", "", count, "", "{'as_string': 'e'}")
                .node(batch + "_add_batch_dim", tensor("b"), "", tensor("x"), "", "{'as_int': 0}", "", "{'as_int': 1}")
                .node("torch.ops.aten.sum.default", tensor("s"), "self", tensor("b"))
                .node(
                        batch + "_remove_batch_dim",
                        tensor("y"),
                        "",
                        tensor("s"),
                        "",
                        "{'as_int': 1}",
                        "",
                        count,
                        "",
                        "{'as_int': 0}")
                .node(batch + "_vmap_decrement_nesting", "{'as_none': true}")
                .result("y")
                .load();
    }

    @Test
    void operatorsThatAnOlderPyTorchLacksAreWrittenAsWhatTheyAreMadeOf() throws IOException {
        ScriptModule module = new Pt2File()
                .argument("x", 1, 3, 1)
                .node("torch.ops.aten.squeeze.dims", tensor("y"), "self", tensor("x"), "dim", "{'as_ints': [0, -1]}")
                .result("y")
                .load();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        module.moduleWriter()
                .lite(LiteTarget.PYTORCH_1_13)
                .source(false)
                .archive("m")
                .write(out);
        Tensor x = Tensor.of(new float[] {1, 2, 3}, 1, 3, 1);
        Tensor squeezed = (Tensor) Pt2File.load(out.toByteArray()).call("forward", x);
        assertArrayEquals(new int[] {3}, squeezed.sizes());
        assertArrayEquals(new float[] {1, 2, 3}, squeezed.toFloatArray());
    }

    @Test
    void tensorsMayHaveTheNamesOfWhatIsPassedOverElsewhere() {
        for (String name : new String[] {"custom", "torch_fn", "from_node", "source_fn_stack", "metadata"}) {
            ScriptModule module = new Pt2File()
                    .weight("parameter", name, new int[] {2}, 10, 20)
                    .argument("x", 2)
                    .node(ADD, tensor("y"), "self", tensor("x"), "other", tensor("w_" + name))
                    .result("y")
                    .load();
            assertArrayEquals(new float[] {11, 22}, run(module, floats(1, 2)), name);
        }
    }

    @Test
    void smallFilesStaySmall() {
        refused("values: 1 of 128 bytes", sum().entry("models/model.json", "[" + "[],".repeat(2_000_000) + "[]]"));
        // Each loop has its condition twice, before it and in it.
        String condition = "{'as_graph': {'name': 'g', 'graph': {'inputs': [" + tensor("v") + "], 'outputs': ["
                + tensor("v") + "], 'nodes': [], 'tensor_values': {}}}}";
        String body = condition;
        for (int i = 0; i < 40; i++) {
            condition = "{'as_graph': {'name': 'g', 'graph': {'inputs': [" + tensor("v") + "], 'outputs': ["
                    + tensor("r") + "], 'nodes': ["
                    + Pt2File.nodeText(
                            "torch.ops.higher_order.while_loop",
                            tensor("r"),
                            "",
                            condition,
                            "",
                            body,
                            "",
                            "{'as_tensors': [{'name': 'v'}]}",
                            "",
                            "{'as_tensors': []}")
                    + "], 'tensor_values': {}}}}";
        }
        refused(
                "nodes: 1 of 96 bytes",
                sum().node(
                                "torch.ops.higher_order.while_loop",
                                tensor("q"),
                                "",
                                condition,
                                "",
                                body,
                                "",
                                "{'as_tensors': [{'name': 'x'}]}",
                                "",
                                "{'as_tensors': []}"));
    }

    private static void refused(String told, Pt2File file) {
        String message = assertThrows(ArchiveException.class, file::load).getMessage();
        assertTrue(message.contains(told), message);
    }

    @Test
    void whatIsWrongIsToldWithItsPlace() {
        refused("archive_version: 9 (expected: 0)", sum().entry("archive_version", "9"));
        refused("models/model.json:", sum().entry("models/model.json", "{\"graph_module\": "));
        refused("at most 400 levels", sum().entry("models/model.json", "[".repeat(5000)));
        refused("missing (expected: a whole number)", sum().entry("models/model.json", "{}"));
        refused("weight_0 has 7 bytes (expected: a multiple of 4", sum().entry("data/weights/weight_0", "1234567"));
        refused("torch.ops.mine.op.default", sum().node("torch.ops.mine.op.default", tensor("q")));
        refused("with one of the overloads", sum().node("torch.ops.aten.relu.none", tensor("q")));
        refused("torch.ops.NAMESPACE", sum().node("frobnicate", tensor("q")));
        refused(
                "graph_module.graph.nodes[1].inputs[0].arg.as_tensor.name: later (expected: a name that a node "
                        + "before it",
                sum().node("torch.ops.aten.relu.default", tensor("q"), "self", tensor("later")));
        refused(
                "a name that nothing else",
                sum().node("torch.ops.aten.relu.default", tensor("x"), "self", tensor("x")));
        refused(
                "2 keys",
                sum().node("torch.ops.aten.relu.default", tensor("q"), "self", "{'as_int': 1, 'as_none': true}"));
        refused("leaves, one for each result", sum().result("x"));
        String most = "[{'as_int': 2147483647}, {'as_int': 2147483647}, {'as_int': 2147483647}]";
        String none = "[{'as_int': 0}, {'as_int': 0}, {'as_int': 0}]";
        refused(
                "config.a.bias.tensor_meta.sizes: ",
                sum().entry(
                                "data/weights/model_weights_config.json",
                                Pt2File.json("{'config': {'a.bias': {'path_name': 'weight_0', 'use_pickle': false, "
                                        + "'tensor_meta': {'dtype': 7, 'layout': 7, 'sizes': " + most
                                        + ", 'strides': " + none + ", 'storage_offset': {'as_int': 0}}}}}")));
        String effects = "torch.ops.higher_order.with_effects";
        refused(
                "torch.ops.mine.print.default, an operator of its own",
                sum().node(effects, tensor("q"), "", "{'as_operator': 'torch.ops.mine.print.default'}"));
        refused("wrap_with_autocast or hints_wrapper", sum().node("torch.ops.higher_order.flex", tensor("q")));
    }
}
