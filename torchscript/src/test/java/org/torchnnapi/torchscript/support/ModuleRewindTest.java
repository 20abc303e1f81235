package org.torchnnapi.torchscript.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Modules as they were before a run. */
class ModuleRewindTest {
    private static ScriptObject module(Object value) {
        ClassType type = new ClassType("__torch__.M", ClassType.Kind.MODULE);
        type.addAttribute(new ClassType.Attribute("a", Type.Basic.ANY, false, false));
        ScriptObject module = new ScriptObject(type);
        module.set("a", value);
        return module;
    }

    @Test
    void elementsInTuplesAndListsComeBack() {
        Tensor first = Tensor.of(new float[] {1, 2}, 2);
        Tensor second = Tensor.of(new float[] {3}, 1);
        ScriptObject module = module(ScriptTuple.of(first, new ScriptList(Type.Basic.TENSOR, List.of(second))));
        try (ModuleRewind rewind = new ModuleRewind(module, false)) {
            first.copyFrom(Tensor.of(new float[] {7, 8}, 2));
            second.copyFrom(Tensor.of(new float[] {9}, 1));
            assertTrue(rewind.isChanged());
            assertEquals(2, rewind.changes());
        }
        assertArrayEquals(new float[] {1, 2}, first.toFloatArray());
        assertArrayEquals(new float[] {3}, second.toFloatArray());
    }

    @Test
    void sizesThatWereChangedInPlaceComeBack() {
        Tensor tensor = Tensor.of(new float[] {1, 2}, 1, 2);
        ScriptObject module = module(tensor);
        try (ModuleRewind rewind = new ModuleRewind(module, false)) {
            tensor.become(tensor.asStrided(new int[] {2, 1}, new int[] {1, 2}, 0));
            tensor.storage().written();
            assertTrue(rewind.isChanged());
        }
        assertArrayEquals(new int[] {1, 2}, tensor.sizes());
        try (ModuleRewind rewind = new ModuleRewind(module, false)) {
            tensor.become(Tensor.of(new float[] {5}, 1));
            assertTrue(rewind.isChanged());
        }
        assertArrayEquals(new float[] {1, 2}, tensor.toFloatArray());
        assertSame(tensor, module.get("a"));
    }

    @Test
    void parametersComeBackWhereRunsMayWrite() {
        ClassType type = new ClassType("__torch__.M", ClassType.Kind.MODULE);
        type.addAttribute(new ClassType.Attribute("a", Type.Basic.TENSOR, true, false));
        ScriptObject module = new ScriptObject(type);
        Tensor parameter = Tensor.of(new float[] {1, 2}, 2);
        module.set("a", parameter);
        try (ModuleRewind rewind = new ModuleRewind(module, true)) {
            parameter.copyFrom(Tensor.of(new float[] {7, 8}, 2));
            assertTrue(rewind.isChanged());
        }
        assertArrayEquals(new float[] {1, 2}, parameter.toFloatArray());
    }

    /** As a trace has them of what a model makes and then writes to. */
    @Test
    void constantsOfCodeComeBackWhereRunsMayWrite() {
        Tensor constant = Tensor.of(new float[] {1, 2}, 2);
        Graph graph = new Graph();
        Node condition = graph.create("prim::If");
        graph.block().append(condition);
        condition.addBlock().append(graph.constant(constant, Type.Basic.TENSOR));
        ClassType type = new ClassType("__torch__.M", ClassType.Kind.MODULE);
        type.addMethod(new Function(
                "__torch__.M.forward", () -> SchemaParser.parse("forward() -> ()"), schema -> graph, null));
        try (ModuleRewind rewind = new ModuleRewind(new ScriptObject(type), true)) {
            constant.copyFrom(Tensor.of(new float[] {7, 8}, 2));
            assertTrue(rewind.isChanged());
        }
        assertArrayEquals(new float[] {1, 2}, constant.toFloatArray());
    }
}
