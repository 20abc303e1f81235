package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.exported.Pt2File.tensor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;

class SeveralProgramsTest {
    /** Adds numbers of its own to its argument; all programs call them the same. */
    private static Pt2File program(String name, float... added) {
        return new Pt2File(name)
                .weight("parameter", "a.bias", new int[] {added.length}, added)
                .argument("x", added.length)
                .node("torch.ops.aten.add.Tensor", tensor("y"), "self", tensor("x"), "other", tensor("w_a_bias"))
                .result("y");
    }

    private static float[] call(ScriptModule module, String method, float... x) {
        return ((Tensor) module.call(method, Tensor.of(x, x.length))).toFloatArray();
    }

    private static List<String> methods(ScriptModule module) {
        return module.object().type().methods().stream().map(Function::name).collect(Collectors.toList());
    }

    @Test
    void eachIsAMethodWithWeightsOfItsOwn() {
        ScriptModule module =
                program("first", 1, 2).beside(program("second", 10, 20, 30)).load();
        assertEquals(List.of("first", "second"), methods(module));
        assertArrayEquals(new float[] {2, 4}, call(module, "first", 1, 2));
        assertArrayEquals(new float[] {11, 22, 33}, call(module, "second", 1, 2, 3));
        assertEquals(
                "Undefined method forward (expected: one of [first, second])",
                assertThrows(IllegalArgumentException.class, () -> call(module, "forward", 1, 2))
                        .getMessage());
        assertThrows(RuntimeException.class, () -> call(module, "first", 1, 2, 3));
        GraphVerifier.verify(module.method("second").graph());
    }

    @Test
    void theOneCalledModelIsForward() {
        ScriptModule module =
                program("other", 10, 20, 30).beside(program("model", 1, 2)).load();
        assertEquals(List.of("forward", "other"), methods(module));
        assertArrayEquals(new float[] {2, 4}, call(module, "forward", 1, 2));
        assertArrayEquals(new float[] {11, 22, 33}, call(module, "other", 1, 2, 3));
    }

    @Test
    void namesThatAreNoIdentifiersOrTakenBecomeOthers() {
        ScriptModule module = program("model", 1, 2)
                .beside(program("forward", 3))
                .beside(program("to/be", 4))
                .beside(program("to_be", 5))
                .beside(program("programs", 6))
                .load();
        assertArrayEquals(new float[] {2, 4}, call(module, "forward", 1, 2));
        assertArrayEquals(new float[] {3}, call(module, "forward_0", 0));
        assertArrayEquals(new float[] {4}, call(module, "to_be", 0));
        assertArrayEquals(new float[] {5}, call(module, "to_be_0", 0));
        assertArrayEquals(new float[] {6}, call(module, "programs_0", 0));
    }

    @Test
    void whatTheFileSaysOfArgumentsIsToldOfEachMethod() {
        ScriptModule module =
                program("first", 1, 2).beside(program("second", 10, 20, 30)).load();
        assertArrayEquals(
                new int[] {2}, module.declaredInputs("first").tensors().get(0).sizes());
        assertArrayEquals(
                new int[] {3}, module.declaredInputs("second").tensors().get(0).sizes());
        assertNull(module.declaredInputs("forward"));
    }

    @Test
    void classesOfTheSameNameAreSavedApart() throws IOException {
        ScriptModule module =
                program("first", 1, 2).beside(program("second", 10, 20, 30)).load();
        ByteArrayOutputStream saved = new ByteArrayOutputStream();
        module.writer().write(saved);
        ScriptModule again = Pt2File.load(saved.toByteArray());
        assertArrayEquals(new float[] {11, 22, 33}, call(again, "second", 1, 2, 3));
        assertArrayEquals(new float[] {2, 4}, call(again, "first", 1, 2));
    }
}
