package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

class DecomposeTest {
    private static final Tensor IMAGE = ramp(2, 4, 4, 6);

    private static Tensor ramp(int... sizes) {
        float[] values = new float[(int) org.torchnnapi.tensor.Shape.numel(sizes)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (Math.sin(i * 0.7) * 4 + i * 0.01);
        }
        return Tensor.of(values, sizes);
    }

    private static Operator find(String fullName) {
        Operator operator = OperatorRegistry.withBuiltins().find(fullName);
        assertNotNull(operator, fullName);
        return operator;
    }

    private static Object[] arguments(FunctionSchema schema, Object... given) {
        List<Object> all = new ArrayList<>(List.of(given));
        for (FunctionSchema.Argument argument : schema.arguments().subList(given.length, schema.arguments().size())) {
            all.add(argument.defaultValue());
        }
        return all.toArray();
    }

    private static void assertSame(String fullName, Object... given) {
        Operator operator = find(fullName);
        Object[] args = arguments(operator.schema(), given);
        Tensor plain = (Tensor) operator.kernel().call(args.clone());
        Tensor said = (Tensor) GraphEvaluator.run(operator.decomposition(), args.clone());
        assertArrayEquals(plain.sizes(), said.sizes(), fullName);
        assertEquals(plain.dtype(), said.dtype(), fullName);
        for (int i = 0; i < plain.numel(); i++) {
            assertEquals(plain.getDouble(i), said.getDouble(i), 2e-5 * Math.max(1, Math.abs(plain.getDouble(i))), fullName + " element " + i);
        }
    }

    @Test
    void decompositionsMeanWhatTheKernelsCompute() {
        for (String name : List.of("relu6", "silu", "mish", "hardswish", "hardsigmoid", "selu", "celu", "log_sigmoid", "softshrink", "hardshrink", "softplus",
            "glu", "gelu", "var", "std")) {
            assertSame("aten::" + name, IMAGE);
        }
        assertSame("aten::gelu", IMAGE, "tanh");
        assertSame("aten::threshold", IMAGE, 0.5, -2L);
        assertSame("aten::softplus", IMAGE, 2L, 20L);
        assertSame("aten::var.dim", IMAGE, ScriptList.ofInts(1, 3), false, true);
        assertSame("aten::std.correction", IMAGE, ScriptList.ofInts(0), 1L);
        assertSame("aten::pixel_shuffle", IMAGE, 2L);
        assertSame("aten::pixel_unshuffle", IMAGE, 2L);
        assertSame("aten::channel_shuffle", IMAGE, 2L);
        assertSame("aten::fliplr", IMAGE);
        assertSame("aten::layer_norm", IMAGE, ScriptList.ofInts(4, 6), ramp(4, 6), ramp(4, 6), 1e-3);
        assertSame("aten::layer_norm", IMAGE, ScriptList.ofInts(6));
        assertSame("aten::group_norm", IMAGE, 2L, ramp(4), ramp(4), 1e-3);
        assertSame("aten::group_norm", IMAGE, 4L);
        assertSame("aten::stack", new ScriptList(Type.Basic.TENSOR, List.of(IMAGE, IMAGE)), 1L);
        assertSame("aten::outer", ramp(3), ramp(4));
        assertSame("aten::inner", ramp(2, 3), ramp(4, 3));
        assertSame("aten::addmm", ramp(4), ramp(2, 3), ramp(3, 4), 2L, 0.5);
        assertSame("aten::addmm", ramp(4), ramp(2, 3), ramp(3, 4), 0L, 1L);
        assertSame("aten::baddbmm", ramp(2, 2, 4), ramp(2, 2, 3), ramp(2, 3, 4));
        assertSame("aten::addmv", ramp(2), ramp(2, 3), ramp(3));
    }

    /** Each body is TorchScript of operators there are, with results of the types that the schema says. */
    @Test
    void everyDecompositionCompiles() {
        int count = 0;
        for (String name : OperatorRegistry.withBuiltins().names()) {
            for (Operator operator : OperatorRegistry.withBuiltins().overloads(name)) {
                Function function = operator.decomposition();
                assertEquals(function != null, OperatorTrait.COMPOSITE.of(operator.schema()), name);
                if (function != null) {
                    GraphVerifier.verify(function.graph());
                    assertResolved(operator.schema().fullName(), function.graph().block());
                    count++;
                }
            }
        }
        assertTrue(count > 100, "composites: " + count);
    }

    private static void assertResolved(String name, Block block) {
        for (Node node : block.nodes()) {
            assertFalse(node.attributes().containsKey("unresolved"), () -> name + ": " + node.kind() + ": " + node.attribute("unresolved"));
            node.blocks().forEach(inner -> assertResolved(name, inner));
        }
    }

    /** Decompositions end: none leads back to its own operator. */
    @Test
    void noOperatorIsSaidInItself() {
        Map<String, Set<String>> said = new TreeMap<>();
        for (String name : OperatorRegistry.withBuiltins().names()) {
            for (Operator operator : OperatorRegistry.withBuiltins().overloads(name)) {
                if (operator.decomposition() != null) {
                    said.put(operator.schema().fullName(), names(operator.decomposition().graph().block(), new TreeSet<>()));
                }
            }
        }
        said.forEach((name, parts) -> {
            Set<String> reached = new TreeSet<>();
            List<String> open = new ArrayList<>(parts);
            while (!open.isEmpty()) {
                String part = open.remove(open.size() - 1);
                if (reached.add(part)) {
                    open.addAll(said.getOrDefault(part, Set.of()));
                }
            }
            assertFalse(reached.contains(name), name);
        });
    }

    private static Set<String> names(Block block, Set<String> names) {
        for (Node node : block.nodes()) {
            if (node.schema() != null) {
                names.add(node.schema().fullName());
            }
            node.blocks().forEach(inner -> names(inner, names));
        }
        return names;
    }

    private static Graph calling(String fullName) {
        Graph graph = new Graph();
        Operator operator = find(fullName);
        Node node = graph.create(operator.schema().name()).schema(operator.schema());
        for (FunctionSchema.Argument argument : operator.schema().arguments()) {
            node.addInput(graph.addInput(argument.type(), argument.name()));
        }
        Value out = node.addOutput(Type.Basic.TENSOR);
        graph.block().append(node);
        graph.block().addResult(out);
        return graph;
    }

    private static Set<String> kinds(Graph graph) {
        Set<String> kinds = new TreeSet<>();
        graph.block().nodes().forEach(node -> kinds.add(node.kind()));
        kinds.remove("prim::Constant");
        return kinds;
    }

    @Test
    void compositesGoDownToWhatIsKept() {
        Graph all = calling("aten::hardswish");
        assertTrue(Decompose.run(all, node -> false));
        GraphVerifier.verify(all);
        assertEquals(Set.of("aten::add", "aten::hardtanh", "aten::mul", "aten::div"), kinds(all));
        Graph some = calling("aten::hardswish");
        assertTrue(Decompose.run(some, node -> node.is("aten::relu6")));
        GraphVerifier.verify(some);
        assertEquals(Set.of("aten::add", "aten::relu6", "aten::mul", "aten::div"), kinds(some));
        Graph none = calling("aten::hardswish");
        assertFalse(Decompose.run(none, node -> node.is("aten::hardswish")));
        assertFalse(Decompose.run(calling("aten::relu"), node -> false));
    }
}
