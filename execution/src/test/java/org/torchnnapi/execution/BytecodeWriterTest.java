package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.SourceMap;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeDebug;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.BytecodeWriter;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.pickle.PickleWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Modules written with byte code alone, of every version, run as those they were made of. */
class BytecodeWriterTest {
    private static final String SOURCE = """
        class Net(Module):
          __parameters__ = []
          __buffers__ = []
          training : bool
          count : int
          act : __torch__.m.Act
          def forward(self: __torch__.m.Net,
            x: Tensor,
            n: int) -> Tuple[Tensor, List[int], str]:
            count = self.count
            self.count = torch.add(count, 1)
            act = self.act
            seen = annotate(List[int], [])
            y = (act).apply(torch.add(x, CONSTANTS.c0), )
            for i in range(n):
              if torch.gt(i, 1):
                y0 = __torch__.m.twice(y, )
                _0 = torch.append(seen, i)
              else:
                y0 = y
              y = y0
            k = n
            _1 = torch.gt(k, 0)
            while _1:
              k0 = torch.sub(k, 2)
              _1, k = torch.gt(k0, 0), k0
            def __forked_function():
              return torch.mul(y, 2)
            z = fork(__forked_function)
            if torch.lt(n, 0):
              ops.prim.RaiseException("negative")
            else:
              pass
            _2 = (torch.wait(z), seen, torch.format("{} of {}", k, torch.dim(x)))
            return _2
        class Act(ModuleInterface):
          def apply(self, x: Tensor) -> Tensor:
            pass
        class Neg(Module):
          __parameters__ = []
          __buffers__ = []
          training : bool
          def apply(self: __torch__.m.Neg,
            x: Tensor) -> Tensor:
            return torch.neg(x)
        def twice(x: Tensor) -> Tensor:
          return torch.add(x, x)
        """;

    private static ScriptModule load(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), ScriptRuntime.standard(CustomClasses.NONE));
    }

    private static ScriptModule net(String source) throws IOException {
        PickledObject neg = new PickledObject("__torch__.m.Neg", new PickledDict(null).put("training", false));
        PickledDict state =
                new PickledDict(null).put("training", false).put("count", 5L).put("act", neg);
        return load(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", state))
                .source("code/__torch__/m.py", source)
                .constants(List.of(Tensor.of(new float[] {1, 1}, 2))));
    }

    private static void assertAnswers(ScriptModule module, String what) {
        ScriptTuple answer = (ScriptTuple) module.call("forward", Tensor.of(new float[] {1, 2}, 2), 4L);
        assertArrayEquals(new float[] {-16, -24}, ((Tensor) answer.get(0)).toFloatArray(), what);
        assertEquals(List.of(2L, 3L), ((ScriptList) answer.get(1)).items(), what);
        assertEquals("0 of 1", answer.get(2), what);
        assertEquals(6L, module.attribute("count"), what);
        ScriptException e = assertThrows(
                ScriptException.class, () -> module.call("forward", Tensor.of(new float[] {1, 2}, 2), -1L));
        assertTrue(e.getMessage().contains("negative"), e.getMessage());
    }

    @Test
    void everyVersionRunsWithoutSource() throws IOException {
        assertAnswers(net(SOURCE), "source");
        for (int version = 4; version <= 8; version++) {
            ModuleWriter writer = net(SOURCE)
                    .moduleWriter()
                    .lite(new LiteForm(LiteTarget.PYTORCH_1_13, version))
                    .source(false);
            ScriptModule lite = load(writer.archive("lite"));
            assertTrue(lite.archive().sources().isEmpty());
            assertAnswers(lite, "version " + version);
        }
    }

    /**
     * PyTorch's executor takes a constant without dimensions for a number, its lite interpreter does not: it is written
     * as one.
     */
    @Test
    void constantsThatCountAsNumbersAreWrittenAsNumbers() throws IOException {
        String source = """
            class Net(Module):
              training : bool
              def forward(self: __torch__.m.Net,
                x: Tensor) -> Tensor:
                return torch.mul(x, CONSTANTS.c0)
            """;
        ScriptModule whole = load(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", new PickledDict(null).put("training", false)))
                .source("code/__torch__/m.py", source)
                .constants(List.of(Tensor.of(DType.FLOAT64, new double[] {1.1}))));
        Tensor x = Tensor.of(new int[] {1, 2}, 2);
        assertEquals(DType.FLOAT32, ((Tensor) whole.call("forward", x)).dtype());
        for (int version = 4; version <= 8; version++) {
            ScriptModule lite = load(whole.moduleWriter()
                    .lite(new LiteForm(LiteTarget.PYTORCH_1_13, version))
                    .source(false)
                    .archive("lite"));
            Tensor product = (Tensor) lite.call("forward", x);
            assertEquals(DType.FLOAT32, product.dtype(), "version " + version);
            assertEquals(2.2f, (float) product.getDouble(1));
        }
    }

    @Test
    void flatBuffersHoldTheSame() throws IOException {
        ArchiveWriter writer = net(SOURCE)
                .moduleWriter()
                .lite(LiteForm.flatBuffer(LiteTarget.PYTORCH_1_13))
                .archive("lite");
        byte[] note = {0, (byte) 0xFF, 'n'};
        ScriptModule flat = load(writer.extra("note.bin", ByteBuffer.wrap(note)));
        assertTrue(flat.archive().sources().isEmpty());
        assertAnswers(flat, "flat buffer");
        byte[] kept = new byte[note.length];
        flat.archive().extraFiles().get("note.bin").get(kept);
        assertArrayEquals(note, kept, "bytes that are no text");
    }

    /**
     * Source with lines of Python, of a method and of one that it calls, becomes byte code whose errors name them, as
     * do the calls they stand in.
     */
    @Test
    void errorsOfByteCodeNameTheLineOfPython() throws IOException {
        String source = """
            class Net(Module):
              training : bool
              part : __torch__.p.Part
              def forward(self: __torch__.p.Net,
                x: Tensor) -> Tensor:
                part = self.part
                return (part).forward(torch.neg(x), )
            class Part(Module):
              training : bool
              def forward(self: __torch__.p.Part,
                x: Tensor) -> Tensor:
                return torch.view(x, [3, 5])
            """;
        TreeMap<Integer, SourceMap.Position> lines = new TreeMap<>();
        lines.put(0, null);
        lines.put(source.indexOf("return (part)"), new SourceMap.Position("net.py", 11, "return self.part(-x)"));
        lines.put(source.indexOf("class Part"), null);
        lines.put(source.indexOf("return torch.view"), new SourceMap.Position("part.py", 7, "return x.view(3, 5)"));
        PickledObject part = new PickledObject("__torch__.p.Part", new PickledDict(null).put("training", false));
        PickledObject net = new PickledObject(
                "__torch__.p.Net", new PickledDict(null).put("training", false).put("part", part));
        ByteBuffer debug = ByteBuffer.wrap(PickleWriter.write(SourceMap.tree(lines, 0), storage -> null));
        ScriptModule original = load(new ArchiveWriter("net", 3)
                .data(net)
                .source("code/__torch__/p.py", source)
                .debugInfo("code/__torch__/p.py", debug));
        for (int version = 4; version <= 8; version++) {
            ScriptModule lite = load(original.moduleWriter()
                    .lite(new LiteForm(LiteTarget.PYTORCH_1_13, version))
                    .source(false)
                    .archive("lite"));
            ScriptException e =
                    assertThrows(ScriptException.class, () -> lite.call("forward", Tensor.of(new float[] {1, 2}, 2)));
            assertTrue(e.getMessage().contains("aten::view at part.py:7"), e.getMessage());
            Node view = lite.method("forward").graph().block().nodes().stream()
                    .filter(node -> node.is("aten::view"))
                    .findFirst()
                    .orElseThrow();
            assertEquals("part", view.range().module());
        }
        ScriptModule both =
                load(original.moduleWriter().lite(LiteTarget.PYTORCH_1_13).archive("lite"));
        List<SourceMap.Position> tagged = LongStream.range(0, 100)
                .mapToObj(both.archive().taggedPositions())
                .filter(Objects::nonNull)
                .toList();
        assertEquals(
                List.of(11, 7),
                tagged.subList(tagged.size() - 2, tagged.size()).stream()
                        .map(SourceMap.Position::line)
                        .toList(),
                "tags of byte code come after those of source: " + tagged);
        ScriptModule without = load(original.moduleWriter()
                .lite(LiteTarget.PYTORCH_1_13)
                .source(false)
                .debugInfo(false)
                .archive("lite"));
        assertFalse(without.archive().has("mobile_debug_handles.pkl"));
        assertThrows(ScriptException.class, () -> without.call("forward", Tensor.of(new float[] {1, 2}, 2)));
    }

    /** What names lines may be damaged in any way: the model runs, and its errors name no line. */
    @Test
    void damagedLinesKeepNoModelFromRunning() throws IOException {
        ScriptTuple numbers =
                ScriptTuple.of("function_debug_handles", ScriptTuple.of(new PickledList("List[int]", List.of(0L))));
        for (Object handles : Arrays.asList(
                null,
                3L,
                ScriptTuple.of(8L, ScriptTuple.of("__torch__.m.Net.forward")),
                ScriptTuple.of(8L, ScriptTuple.of("__torch__.m.Net.forward", ScriptTuple.of(numbers))))) {
            ArchiveWriter writer = net(SOURCE)
                    .moduleWriter()
                    .lite(LiteTarget.PYTORCH_1_13)
                    .source(false)
                    .archive("lite");
            byte[] pickle = PickleWriter.write(handles, storage -> null);
            writer.bytecodeDebug("mobile_debug_handles.pkl", ByteBuffer.wrap(pickle));
            byte[] stacks = PickleWriter.write(ScriptTuple.of(ScriptTuple.of(0L, 0L, "x", null), 1L), storage -> null);
            writer.bytecodeDebug("callstack_debug_map.pkl", ByteBuffer.wrap(stacks));
            writer.bytecodeDebug("bytecode.debug_pkl", ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertAnswers(load(writer), "damaged lines " + handles);
        }
    }

    @Test
    void namedTuplesAreRefusedInFlatBuffers() throws IOException {
        String source = """
            class Pair(NamedTuple):
              left : Tensor
              right : int
            class Net(Module):
              training : bool
              def forward(self: __torch__.n.Net,
                x: Tensor) -> __torch__.n.Pair:
                return __torch__.n.Pair(x, 1)
            """;
        PickledObject net = new PickledObject("__torch__.n.Net", new PickledDict(null).put("training", false));
        ScriptModule module = load(new ArchiveWriter("n", 3).data(net).source("code/__torch__/n.py", source));
        ModuleWriter writer = module.moduleWriter();
        BytecodeException e = assertThrows(
                BytecodeException.class,
                () -> writer.lite(LiteForm.flatBuffer(LiteTarget.PYTORCH_1_13)).archive("lite"));
        assertEquals(
                "__torch__.n.Pair: named tuples have no place in a flat buffer (expected: what PyTorch 1.13 runs)",
                e.getMessage());
    }

    @Test
    void onlySomeReadFlatBuffers() {
        assertEquals(
                "target: pytorch-1.10 as a flat buffer (expected: one of [pytorch-1.13])",
                assertThrows(IllegalArgumentException.class, () -> LiteForm.flatBuffer(LiteTarget.PYTORCH_1_10))
                        .getMessage());
        assertEquals(
                "byte code version: 8 for pytorch-1.10 (expected: 4 to 7 in an archive)",
                assertThrows(IllegalArgumentException.class, () -> new LiteForm(LiteTarget.PYTORCH_1_10, 8))
                        .getMessage());
    }

    @Test
    void refusesByName() throws IOException {
        String source = SOURCE.replace("return torch.neg(x)", "_0 = torch.any(x, [0])\n    return ops.some.thing(_0)");
        BytecodeException e = assertThrows(
                BytecodeException.class,
                () -> net(source).moduleWriter().lite(LiteTarget.PYTORCH_1_8).archive("lite"));
        assertEquals(
                "aten::any.dims at code/__torch__/m.py:45: not in PyTorch 1.8; "
                        + "some::thing at code/__torch__/m.py:46: no operator of this name and arguments is known "
                        + "(expected: what PyTorch 1.8 runs)",
                e.getMessage());
    }

    @Test
    void objectsOfProgramsAreRefused() {
        String source = SOURCE.replace(
                        "return torch.neg(x)",
                        "box = __torch__.m.Box.__new__(__torch__.m.Box)\n    _0 = (box).__init__(x, )\n    return "
                                + "box.x")
                + """
            class Box:
              x : Tensor
              def __init__(self: __torch__.m.Box,
                x: Tensor) -> NoneType:
                self.x = torch.neg(x)
                return None
            """;
        BytecodeException e = assertThrows(
                BytecodeException.class,
                () -> net(source).moduleWriter().lite(LiteTarget.PYTORCH_1_13).archive("lite"));
        assertTrue(
                e.getMessage()
                        .contains(
                                "the lite interpreter makes no objects of a class of the program, as __torch__.m.Box"),
                e.getMessage());
    }

    /**
     * What PyTorch's loader fills in is left out, so that a release whose operator has fewer arguments runs the file;
     * results come behind.
     */
    @Test
    void argumentsThatAreSoByDefaultAreLeftOut() throws IOException {
        String tree = tree(LiteTarget.PYTORCH_1_13, "x: Tensor", "Tensor", """
            _0 = torch.add(torch.linspace(0, 1, 2, out=x), x, alpha=1, out=x)
            return torch.add(torch._no_grad_normal_(_0, 0., 1.), x, alpha=2)""");
        assertTrue(
                tree.contains("('operators', (('aten::linspace', 'out', 4), ('aten::add', 'out', 3), "
                        + "('aten::_no_grad_normal_', '', 3), ('aten::add', 'Tensor', 3)))"),
                tree);
        // Loaders of earlier releases fill in nothing.
        String early = tree(LiteTarget.PYTORCH_1_9, "x: Tensor", "Tensor", "return torch.add(x, x)");
        assertTrue(early.contains("('operators', (('aten::add', 'Tensor')))"), early);
        assertTrue(early.contains("('LOADC', 0, 0), ('OP', 0, 0)"), early);
    }

    /** Names older than the rule by which overloads are called that write into a tensor. */
    @Test
    void overloadsThatTakeResultsAreCalledAsInPyTorch() throws IOException {
        String tree = tree(LiteTarget.PYTORCH_1_13, "x: Tensor, y: Tensor", "Tensor", """
            _0 = torch.mul(x, x, out=x)
            _1 = torch.mean(x, [0], False, dtype=None, out=x)
            _2 = torch.sum(x, [0], False, dtype=None, out=x)
            _3 = torch.copysign(x, x, out=x)
            _4 = torch.all(x, out=y)
            _5 = torch.all(x, 0, False, out=y)
            return torch.relu(x, out=x)""");
        assertTrue(
                tree.contains("('operators', (('aten::mul', 'out', 3), ('aten::mean', 'out', 3), ('aten::sum', "
                        + "'IntList_out', 3), ('aten::copysign', 'out', 3), "
                        + "('aten::all', 'all_out', 2), ('aten::all', 'out', 3), ('aten::relu', 'out', 2)))"),
                tree);
    }

    /** The numbers of element types are those of PyTorch's toList. */
    @Test
    void listsOfTensorsSayWhatTheyHold() throws IOException {
        for (String type : List.of("int", "float", "bool", "complex")) {
            String tree = tree(
                    LiteTarget.PYTORCH_1_13,
                    "x: Tensor",
                    "List[" + type + "]",
                    "return annotate(List[" + type + "], x.tolist())");
            long number = List.of("int", "float", "bool", "complex").indexOf(type);
            assertTrue(tree.contains("('constants', (1" + (number == 1 ? "" : ", " + number) + "))"), tree);
        }
    }

    /** Lite interpreters make no tensors of lists of truth values. */
    @Test
    void listsOfTruthValuesAreWrittenAsWholeNumbers() throws IOException {
        String made = tree(
                LiteTarget.PYTORCH_1_11,
                "x: Tensor, b: bool",
                "Tensor",
                "return torch.tensor([[True, b], [False, True]])");
        assertTrue(made.contains("('aten::Int', 'bool', 1), ('aten::tensor', '', 2)"), made);
        assertFalse(made.contains("List[bool]"), made);
        assertTrue(made.contains("'List[List[int]]'"), made);
        String changed = tree(
                LiteTarget.PYTORCH_1_11,
                "x: Tensor, b: bool",
                "Tensor",
                "k = [True]\n_0 = torch.append(k, b)\nreturn torch.tensor(k)");
        assertTrue(changed.contains("List[bool]"), changed);
    }

    /**
     * Lite interpreters end the process where an argument is no union or named tuple that they cannot tell, so they are
     * asked for neither.
     */
    @Test
    void argumentsThatLiteInterpretersCannotTellAreAnything() throws IOException {
        String tree = tree(
                LiteTarget.PYTORCH_1_13,
                "x: Union[int, str], y: Optional[List[Union[int, str]]], z: Dict[str, int]",
                "bool",
                "return isinstance(x, Union[int, str])");
        assertTrue(
                tree.contains("'x'), ('type', 'Any')")
                        && tree.contains("'y'), ('type', 'Any')")
                        && tree.contains("'z'), ('type', 'Dict[str, int]')"),
                tree);
        assertTrue(tree.contains("('ISINSTANCE', 0, 2)") && tree.contains("('types', ('int', 'str'))"), tree);
    }

    /** Code that was compiled with hooks calls them as functions; there is none to call them as methods. */
    @Test
    void hooksHaveNoByteCodeOfTheirOwn() throws IOException {
        String source = """
            class Net(Module):
              __forward_pre_hooks__ = ["before", ]
              __forward_hooks__ = ["behind", ]
              training : bool
              def forward(self: __torch__.m.Net,
                x: int) -> int:
                return x
              def before(self: __torch__.m.Net,
                x: Tuple[int]) -> Tuple[int]:
                return x
              def behind(self: __torch__.m.Net,
                x: Tuple[int],
                y: int) -> int:
                return y
            """;
        ScriptModule module = plain(source);
        ScriptModule lite = load(module.moduleWriter()
                .lite(LiteTarget.PYTORCH_1_13)
                .source(false)
                .archive("lite"));
        assertNotNull(lite.method("forward"));
        assertNull(lite.method("before"));
        assertNull(lite.method("behind"));
        assertNotNull(load(module.moduleWriter().archive("whole")).method("behind"));
    }

    /** A module that is found by a variable is called by the interface that it is declared as. */
    @Test
    void partsOfContainersAreCalledByTheirInterface() throws IOException {
        String source = """
            class Net(Module):
              training : bool
              act : __torch__.m.Neg
              def forward(self: __torch__.m.Net,
                x: Tensor,
                key: str) -> Tensor:
                part : __torch__.m.Act = self[key]
                return (part).apply(x, )
            """ + SOURCE.substring(SOURCE.indexOf("class Act"));
        PickledObject neg = new PickledObject("__torch__.m.Neg", new PickledDict(null).put("training", false));
        ScriptModule module = load(new ArchiveWriter("net", 3)
                .source("code/__torch__/m.py", source)
                .data(new PickledObject(
                        "__torch__.m.Net",
                        new PickledDict(null).put("training", false).put("act", neg))));
        ScriptModule lite = load(module.moduleWriter()
                .lite(LiteTarget.PYTORCH_1_13)
                .source(false)
                .archive("lite"));
        Tensor x = Tensor.of(new float[] {1, 2}, 2);
        assertArrayEquals(new float[] {-1, -2}, ((Tensor) module.call("forward", x, "act")).toFloatArray());
        assertArrayEquals(new float[] {-1, -2}, ((Tensor) lite.call("forward", x, "act")).toFloatArray());
    }

    private static ScriptModule plain(String source) throws IOException {
        return load(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", new PickledDict(null).put("training", false)))
                .source("code/__torch__/m.py", source));
    }

    /** The byte code of a method, in one line. */
    private static String tree(LiteTarget target, String parameters, String result, String body) throws IOException {
        ScriptModule module = plain("class Net(Module):\n  training : bool\n  def forward(self: __torch__.m.Net,\n    "
                + parameters + ") -> " + result + ":\n" + body.indent(4));
        Object tree = new BytecodeWriter(LiteForm.archive(target), value -> value, new BytecodeDebug(0))
                .tree(module.object().type(), List.of());
        StringBuilder text = new StringBuilder();
        show(tree, text);
        return text.toString();
    }

    private static void show(Object value, StringBuilder text) {
        if (value instanceof ScriptTuple tuple) {
            text.append('(');
            for (int i = 0; i < tuple.size(); i++) {
                text.append(i == 0 ? "" : ", ");
                show(tuple.get(i), text);
            }
            text.append(')');
        } else {
            text.append(value instanceof String ? "'" + value + "'" : value);
        }
    }

    @Test
    void everyTargetHasWhatModelsUse() {
        for (LiteTarget target : LiteTarget.values()) {
            for (String operator : List.of(
                    "aten::conv2d",
                    "aten::add.Tensor",
                    "aten::linear",
                    "quantized::conv2d.new",
                    "prim::TupleUnpack",
                    "aten::append.t")) {
                assertTrue(target.has(operator), target + " " + operator);
            }
            // Libraries for phones are built without MKL-DNN.
            assertFalse(target.has("aten::to_mkldnn"), target.toString());
        }
        assertEquals(LiteTarget.PYTORCH_1_9, LiteTarget.of("pytorch-1.9"));
        assertEquals(
                "target: pytorch-2 (expected: one of [pytorch-1.8, pytorch-1.9, pytorch-1.10, pytorch-1.11, "
                        + "pytorch-1.12, pytorch-1.13])",
                assertThrows(IllegalArgumentException.class, () -> LiteTarget.of("pytorch-2"))
                        .getMessage());
    }
}
