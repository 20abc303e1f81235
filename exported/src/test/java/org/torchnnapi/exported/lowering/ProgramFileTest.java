package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Programs that are written, read and run; genuine PyTorch 2.14 loads what has this form. */
class ProgramFileTest {
    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static Tensor row(float... elements) {
        return Tensor.of(elements, 1, elements.length);
    }

    private static float[] run(ScriptModule module, Object... arguments) {
        return ((Tensor) module.call("forward", arguments)).toFloatArray();
    }

    /** A linear layer and relu. */
    private static ScriptModule layer() {
        return WrittenPrograms.module(
                new PickledDict(null)
                        .put("weight", Tensor.of(new float[] {1, 2, -3, -4}, 2, 2))
                        .put("bias", floats(10, 20)),
                "__parameters__ = [\"weight\", ]\n__buffers__ = [\"bias\", ]\nweight : Tensor\nbias : Tensor",
                "x: Tensor) -> Tensor",
                "return torch.relu(torch.linear(x, self.weight, self.bias))");
    }

    @Test
    void linearLayersKeepTheirNames() {
        ProgramFile program =
                ProgramFile.of(layer(), List.of(row(1, 1))).extra("note.txt", StandardCharsets.UTF_8.encode("seen"));
        ScriptModule again = Pt2File.load(WrittenPrograms.bytes(program));
        assertArrayEquals(new float[] {13, 13}, run(again, row(1, 1)));
        assertArrayEquals(new float[] {20, 0}, run(again, row(0, 5)));
        List<ClassType.Attribute> attributes = again.object().type().attributes();
        assertEquals("weight", attributes.get(0).name());
        assertTrue(attributes.get(0).isParameter());
        assertTrue(attributes.get(1).isBuffer());
        assertTrue(again.source().extraFiles().containsKey("note.txt"));
        assertEquals("", program.imports());
        assertEquals(1, again.bundledInputs().size());
        String told = assertThrows(RuntimeException.class, () -> run(again, Tensor.of(new float[4], 2, 2)))
                .getMessage();
        assertTrue(told.contains("argument x: size 2 in dimension 0 (expected: 1"), told);
    }

    @Test
    void archivesAreThoseOfPyTorch() {
        byte[] bytes = WrittenPrograms.bytes(ProgramFile.of(layer(), List.of(row(1, 1))));
        ModuleSource source = ModuleSource.of(ByteBuffer.wrap(bytes));
        assertEquals(
                new TreeSet<>(List.of(
                        "archive/.data/version",
                        "archive/archive_format",
                        "archive/archive_version",
                        "archive/byteorder",
                        "archive/data/constants/model_constants_config.json",
                        "archive/data/sample_inputs/model.pt",
                        "archive/data/weights/model_weights_config.json",
                        "archive/data/weights/weight_0",
                        "archive/data/weights/weight_1",
                        "archive/models/model.json")),
                new TreeSet<>(source.zip().entries().keySet()));
        String json = StandardCharsets.UTF_8
                .decode(source.zip().read("archive/models/model.json"))
                .toString();
        assertTrue(
                json.contains("{\"target\":\"torch.ops.aten.linear.default\",\"inputs\":[{\"name\":\"input\","
                        + "\"arg\":{\"as_tensor\":"
                        + "{\"name\":\"x\"}},\"kind\":1},{\"name\":\"weight\",\"arg\":{\"as_tensor\":{\"name\":"
                        + "\"p_weight\"}},\"kind\":1},{\"name\":\"bias\","
                        + "\"arg\":{\"as_tensor\":{\"name\":\"b_bias\"}},"
                        + "\"kind\":1}],\"outputs\":[{\"as_tensor\":{\"name\":\"linear_1\"}}]"),
                json);
        assertTrue(
                json.contains(
                        "\"relu_1\":{\"dtype\":7,\"sizes\":[{\"as_int\":1},{\"as_int\":2}],\"requires_grad\":false,"
                                + "\"device\":{\"type\":\"cpu\",\"index\":null},\"strides\":[{\"as_int\":2},"
                                + "{\"as_int\":1}],"
                                + "\"storage_offset\":{\"as_int\":0},\"layout\":7}"),
                json);
        assertArrayEquals(bytes, WrittenPrograms.bytes(ProgramFile.of(layer(), List.of(row(1, 1)))));
    }

    @Test
    void methodsAreProgramsThatShareWeights() {
        ScriptModule module = WrittenPrograms.load(
                "class M(Module):\n  __parameters__ = [\"w\", ]\n  __buffers__ = []\n  w : Tensor\n"
                        + "  def forward(self: __torch__.M, x: Tensor) -> Tensor:\n    return torch.add(x, self.w)\n"
                        + "  def twice(self: __torch__.M, x: Tensor) -> Tensor:\n"
                        + "    return torch.mul((self).forward(x, ), 2)\n",
                new PickledDict(null).put("w", floats(1, 2)));
        ProgramFile one = ProgramFile.of(module, "twice", List.of(floats(0, 0)), OpenSizes.NONE);
        assertArrayEquals(new float[] {4, 8}, run(Pt2File.load(WrittenPrograms.bytes(one)), floats(1, 2)));
        byte[] both = WrittenPrograms.bytes(one.and(module, "forward", List.of(floats(0, 0)), OpenSizes.NONE));
        ScriptModule again = Pt2File.load(both);
        assertArrayEquals(new float[] {2, 4}, run(again, floats(1, 2)));
        assertArrayEquals(new float[] {4, 8}, ((Tensor) again.call("twice", floats(1, 2))).toFloatArray());
        assertEquals(
                List.of("archive/data/weights/weight_0"),
                ModuleSource.of(ByteBuffer.wrap(both)).zip().entries().keySet().stream()
                        .filter(name -> name.contains("/weight_"))
                        .sorted()
                        .toList());
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> one.and(module, "twice", List.of(floats(0, 0)), OpenSizes.NONE))
                .getMessage();
        assertEquals("method: twice again (expected: each once)", told);
    }

    @Test
    void nodesKnowTheirModules() {
        PickledDict part = new PickledDict(null).put("w", floats(3));
        ScriptModule module =
                WrittenPrograms.load("""
                class Part(Module):
                  __parameters__ = ["w", ]
                  __buffers__ = []
                  w : Tensor
                  def forward(self: __torch__.Part, x: Tensor) -> Tensor:
                    return torch.mul(x, self.w)
                class M(Module):
                  __parameters__ = []
                  __buffers__ = []
                  part : __torch__.Part
                  def forward(self: __torch__.M, x: Tensor) -> Tensor:
                    return torch.neg((self.part).forward(x, ))
                """, new PickledDict(null).put("part", new PickledObject("__torch__.Part", part)));
        ScriptModule again = WrittenPrograms.again(module, floats(2));
        assertArrayEquals(new float[] {-6}, run(again, floats(2)));
        Map<String, String> modules = new TreeMap<>();
        again.method("forward")
                .graph()
                .block()
                .nodes()
                .forEach(node -> modules.put(node.kind(), node.range().module()));
        assertEquals("part", modules.get("aten::mul"));
        assertEquals("", modules.get("aten::neg"));
        assertEquals(
                "__torch__.exported.Part",
                ((ScriptObject) again.attribute("part")).type().name());
    }

    @Test
    void containersGoInAndOut() {
        ScriptModule module = WrittenPrograms.function(
                "p: Tuple[Tensor, List[Tensor]], d: Dict[str, Tensor], n: int) -> Dict[str, Tuple[Tensor, int]]",
                "a, b = p",
                "s = torch.add(torch.add(a, b[0]), torch.mul(d[\"k\"], n))",
                "return {\"sum\": (s, 7), \"first\": (a, torch.len(b))}");
        ScriptDict dict = new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR);
        dict.items().put("k", floats(100));
        Object[] arguments = {
            ScriptTuple.of(floats(1), new ScriptList(Type.Basic.TENSOR, List.of(floats(10)))), dict, 2L
        };
        ScriptModule again = WrittenPrograms.again(module, arguments);
        ScriptDict result = (ScriptDict) again.call("forward", arguments);
        ScriptTuple sum = (ScriptTuple) result.items().get("sum");
        assertArrayEquals(new float[] {211}, ((Tensor) sum.get(0)).toFloatArray());
        assertEquals(7L, sum.get(1));
        assertEquals(List.of("sum", "first"), List.copyOf(result.items().keySet()));
        String told = assertThrows(RuntimeException.class, () -> again.call("forward", arguments[0], dict, 3L))
                .getMessage();
        assertTrue(told.contains("argument n: 3 (expected: 2, the value in the example)"), told);
    }

    @Test
    void argumentsAreLeftAsTheyWere() {
        ScriptModule module = WrittenPrograms.function("x: Tensor) -> Tensor", "return torch.add_(x, 1)");
        Tensor x = floats(1, 2);
        ScriptModule again = WrittenPrograms.again(module, x);
        assertArrayEquals(new float[] {1, 2}, x.toFloatArray());
        assertArrayEquals(new float[] {2, 3}, run(again, x));
        assertArrayEquals(new float[] {2, 3}, x.toFloatArray());
    }

    @Test
    void modulesWithoutForwardAreRefused() {
        ScriptModule module = WrittenPrograms.function("x: Tensor) -> Tensor", "return x");
        assertEquals(
                "forward() argument x: a int (expected: Tensor, "
                        + module.method("forward").schema() + ")",
                assertThrows(IllegalArgumentException.class, () -> ProgramFile.of(module, List.of(1L)))
                        .getMessage());
        assertEquals(Map.of(), module.source().extraFiles());
    }
}
