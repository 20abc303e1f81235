package org.pytorch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.engine.ModelException;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** The models here were written by src/test/python/make_host_model.py. */
class ModuleTest {
    private static Module module;

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = ModuleTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    @BeforeAll
    static void load() throws IOException {
        module = Module.load(resource("host-model.pt"));
    }

    private static Tensor floats(long[] shape, float... values) {
        return Tensor.fromBlob(values, shape);
    }

    @Test
    void scalarsComeBack() {
        assertTrue(module.runMethod("same_bool", IValue.from(true)).toBool());
        assertEquals(
                Long.MIN_VALUE,
                module.runMethod("same_int", IValue.from(Long.MIN_VALUE)).toLong());
        assertEquals(
                Double.MIN_VALUE,
                module.runMethod("same_float", IValue.from(Double.MIN_VALUE)).toDouble());
        assertEquals("жжж", module.runMethod("thrice", IValue.from("ж")).toStr());
        assertTrue(module.forward(IValue.from(floats(new long[] {1}, 1))).isNull());
    }

    @Test
    void writesReachTensorsInListsAndDicts() {
        for (int call = 0; call < 2; call++) {
            Tensor[] all = new Tensor[7];
            Arrays.setAll(all, i -> floats(new long[] {2}, -1, -2));
            IValue nested = IValue.tupleFrom(
                    IValue.listFrom(all[4], all[5]), IValue.dictStringKeyFrom(Map.of("b", IValue.from(all[6]))));
            module.runMethod(
                    "fill_all",
                    IValue.listFrom(all[0], all[1]),
                    IValue.dictStringKeyFrom(Map.of("a", IValue.from(all[2]))),
                    IValue.dictLongKeyFrom(Map.of(7L, IValue.from(all[3]))),
                    nested);
            float[] expected = {1, 1, 2, 3, -1, 4, 5};
            for (int i = 0; i < all.length; i++) {
                assertEquals(expected[i], all[i].getDataAsFloatArray()[0], "tensor " + i);
            }
        }
    }

    @Test
    void writesBeforeAnErrorReachTheCaller() {
        for (int call = 0; call < 2; call++) {
            Tensor x = floats(new long[] {2}, -1, -2);
            assertThrows(ModelException.class, () -> module.runMethod("fill_and_refuse", IValue.from(x)));
            assertEquals(1, x.getDataAsFloatArray()[1]);
        }
    }

    @Test
    void optionalsTakeAndGiveNone() {
        assertTrue(module.runMethod("is_none", IValue.optionalNull()).toBool());
        assertFalse(module.runMethod("is_none", IValue.from(1L)).toBool());
        assertTrue(module.runMethod("none_if_zero", IValue.from(0L)).isNull());
        assertEquals(3, module.runMethod("none_if_zero", IValue.from(3L)).toLong());
    }

    @Test
    void containersComeBack() {
        Map<String, IValue> byName = Map.of("a", IValue.from(1L), "b", IValue.from(2L));
        Map<String, IValue> names = module.runMethod("same_by_name", IValue.dictStringKeyFrom(byName))
                .toDictStringKey();
        assertEquals(2, names.get("b").toLong());
        Map<Long, IValue> numbers = module.runMethod(
                        "same_by_number", IValue.dictLongKeyFrom(Map.of(7L, IValue.from(8L))))
                .toDictLongKey();
        assertEquals(8, numbers.get(7L).toLong());
        IValue[] total = module.runMethod("total", IValue.listFrom(1L, 2L, 3L)).toTuple();
        assertArrayEquals(new long[] {1, 2, 3}, total[0].toLongList());
        assertEquals(6, total[1].toLong());
        assertArrayEquals(
                new boolean[] {false, true},
                module.runMethod("negated", IValue.listFrom(true, false)).toBoolList());
        assertArrayEquals(
                new double[] {1, 3},
                module.runMethod("doubled", IValue.listFrom(0.5, 1.5)).toDoubleList());
        Tensor[] tensors = module.runMethod(
                        "reversed_tensors", IValue.listFrom(floats(new long[] {1}, 1), floats(new long[] {1}, 2)))
                .toTensorList();
        assertArrayEquals(new float[] {2}, tensors[0].getDataAsFloatArray());
        IValue words = module.runMethod("words");
        assertTrue(words.isList());
        assertEquals("b", words.toList()[1].toStr());
    }

    @Test
    void everyElementTypeComesBack() {
        long[] shape = {2};
        for (Tensor tensor : new Tensor[] {
            Tensor.fromBlobUnsigned(new byte[] {1, -1}, shape),
            Tensor.fromBlob(new byte[] {1, -1}, shape),
            Tensor.fromBlob(new int[] {1, -1}, shape),
            Tensor.fromBlob(new long[] {1, -1}, shape),
            Tensor.fromBlob(new float[] {1, -1}, shape),
            Tensor.fromBlob(new double[] {1, -1}, shape)
        }) {
            Tensor back = module.runMethod("same_tensor", IValue.from(tensor)).toTensor();
            assertEquals(tensor.dtype(), back.dtype());
            assertEquals(tensor.data().duplicate().rewind(), back.data());
        }
        assertThrows(IllegalArgumentException.class, () -> module.runMethod("half", IValue.from(floats(shape, 1, 2))));
    }

    @Test
    void resultsAreDenseOrSayTheirFormat() {
        Tensor x = floats(new long[] {2, 4}, 0, 1, 2, 3, 4, 5, 6, 7);
        Tensor odd = module.runMethod("odd_columns", IValue.from(x)).toTensor();
        assertArrayEquals(new long[] {2, 2}, odd.shape());
        assertArrayEquals(new float[] {1, 3, 5, 7}, odd.getDataAsFloatArray());
        Tensor image = floats(new long[] {1, 2, 1, 3}, 0, 1, 2, 10, 11, 12);
        Tensor nhwc = module.runMethod("channels_last", IValue.from(image)).toTensor();
        assertEquals(MemoryFormat.CHANNELS_LAST, nhwc.memoryFormat());
        assertArrayEquals(new float[] {0, 10, 1, 11, 2, 12}, nhwc.getDataAsFloatArray());
        Tensor back = module.runMethod("dense", IValue.from(nhwc)).toTensor();
        assertEquals(MemoryFormat.CONTIGUOUS, back.memoryFormat());
        assertArrayEquals(image.getDataAsFloatArray(), back.getDataAsFloatArray());
    }

    @Test
    void callsLeaveTheResultsOfEarlierOnesAlone() {
        Tensor[] results = new Tensor[5];
        for (int i = 0; i < results.length; i++) {
            results[i] = module.runMethod("same_tensor", IValue.from(floats(new long[] {3}, i, i + 1, i + 2)))
                    .toTensor();
        }
        for (int i = 0; i < results.length; i++) {
            assertArrayEquals(new float[] {i, i + 1, i + 2}, results[i].getDataAsFloatArray());
        }
    }

    @Test
    void aTensorOnABufferIsThatBuffer() {
        FloatBuffer buffer = Tensor.allocateFloatBuffer(3);
        module.runMethod("fill_one", IValue.from(Tensor.fromBlob(buffer, new long[] {3})));
        assertEquals(1, buffer.get(2));
    }

    @Test
    void modelsAreInEvaluationMode() {
        assertFalse(module.runMethod("is_training").toBool());
    }

    @Test
    void wrongCallsAreIllegalArguments() {
        assertEquals(
                "Undefined method fly",
                assertThrows(IllegalArgumentException.class, () -> module.runMethod("fly"))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> module.runMethod("same_int", IValue.from("x")));
        assertThrows(IllegalArgumentException.class, () -> module.runMethod("same_int"));
        String many = assertThrows(
                        IllegalArgumentException.class,
                        () -> module.runMethod("same_int", IValue.from(1L), IValue.from(1L)))
                .getMessage();
        assertTrue(many.startsWith("same_int() arguments: 2 (expected: at most 1, "), many);
        assertThrows(IllegalArgumentException.class, () -> module.runMethod("same_int", (IValue) null));
        assertThrows(IllegalArgumentException.class, module::forward);
        assertEquals(
                "inputs: null (expected: an IValue for each argument, or nothing)",
                assertThrows(IllegalArgumentException.class, () -> module.forward((IValue[]) null))
                        .getMessage());
        assertEquals(
                "method: null (expected: the name of one of the module's methods)",
                assertThrows(IllegalArgumentException.class, () -> module.runMethod(null))
                        .getMessage());
    }

    @Test
    void noModelIsAnIllegalArgument() {
        assertEquals(
                "model: null (expected: the path of a .pt, .ptl or .pt2 file)",
                assertThrows(IllegalArgumentException.class, () -> Module.load((String) null))
                        .getMessage());
        assertEquals(
                "model: null (expected: the path of a .pt, .ptl or .pt2 file)",
                assertThrows(IllegalArgumentException.class, () -> LiteModuleLoader.load(null))
                        .getMessage());
        String bytes = "model: null (expected: the bytes of a .pt, .ptl or .pt2 file)";
        assertEquals(
                bytes,
                assertThrows(IllegalArgumentException.class, () -> Module.load((byte[]) null))
                        .getMessage());
        assertEquals(
                bytes,
                assertThrows(IllegalArgumentException.class, () -> Module.load((InputStream) null))
                        .getMessage());
    }

    @Test
    void valuesThatHoldThemselvesAreIllegalArguments() {
        Map<String, IValue> items = new HashMap<>();
        IValue itself = IValue.dictStringKeyFrom(items);
        items.put("a", itself);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> module.forward(itself));
        assertTrue(e.getMessage().startsWith("inputs: lists or dicts that hold themselves"), e.getMessage());
    }

    @Test
    void loadingInAnInterruptedThreadSaysSo(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("model.pt"), resource("host-model.pt"));
        Thread.currentThread().interrupt();
        try {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> Module.load(file.toString()));
            assertTrue(e.getMessage().contains("the thread was interrupted"), e.getMessage());
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertNotNull(Module.load(file.toString()));
    }

    @Test
    void whatTheProgramRaisesArrives() {
        ModelException raised = assertThrows(ModelException.class, () -> module.runMethod("refuse", IValue.from("me")));
        assertTrue(raised.getMessage().contains("not me"), raised.getMessage());
        assertEquals("builtins.ValueError", raised.pythonType());
        assertTrue(raised.places().get(0).contains("make_host_model.py"), raised.places()::toString);
        assertEquals(1, module.runMethod("refuse", IValue.from("you")).toLong());
    }

    /** In the one type for all that a model fails at, as what it raises is. */
    @Test
    void whatAnOperatorRefusesArrives() {
        for (int call = 0; call < 2; call++) {
            ModelException refused = assertThrows(
                    ModelException.class,
                    () -> module.runMethod("channels_last", IValue.from(floats(new long[] {3}, 1, 2, 3))));
            assertTrue(
                    refused.getMessage().startsWith("aten::")
                            && refused.getMessage().contains("(expected: "),
                    refused.getMessage());
            assertEquals("RuntimeError", refused.pythonType());
            assertTrue(refused.places().get(0).contains("make_host_model.py"), refused.places()::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"host-model.pt", "host-model.ptl"})
    void loadsFromEverySource(String name, @TempDir Path folder) throws IOException {
        byte[] bytes = resource(name);
        Path file = folder.resolve(name);
        Files.write(file, bytes);
        ByteBuffer direct =
                ByteBuffer.allocateDirect(bytes.length + 3).put(bytes).flip();
        for (Module loaded : new Module[] {
            Module.load(file.toString()),
            Module.load(bytes),
            Module.load(direct),
            Module.load(new ByteArrayInputStream(bytes)),
            LiteModuleLoader.load(file.toString())
        }) {
            assertEquals(5, loaded.runMethod("same_int", IValue.from(5L)).toLong());
        }
        Map<String, String> extra = new HashMap<>(Map.of("notes.txt", "", "missing.txt", "old"));
        Module.load(file.toString(), extra, Device.CPU);
        assertEquals(name.endsWith("l") ? "lite" : "café", extra.get("notes.txt"));
        assertEquals("", extra.get("missing.txt"));
    }

    /** As in PyTorch, whose lite interpreter never reads the source that lies beside the byte code. */
    @Test
    void theLiteLoaderRunsByteCode(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("host-model.ptl");
        Files.write(file, withSource(resource("host-model.ptl"), "no source".getBytes(StandardCharsets.UTF_8)));
        Module lite = LiteModuleLoader.load(file.toString());
        assertEquals(5, lite.runMethod("same_int", IValue.from(5L)).toLong());
        assertEquals("жжж", lite.runMethod("thrice", IValue.from("ж")).toStr());
        assertThrows(
                IllegalArgumentException.class,
                () -> Module.load(file.toString()).runMethod("same_int", IValue.from(5L)));
    }

    private static byte[] withSource(byte[] archive, byte[] source) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TorchScriptArchive records = TorchScriptArchive.of(archive);
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (String name : records.records()) {
                byte[] content = new byte[records.bytes(name).remaining()];
                records.bytes(name).get(content);
                zip.putNextEntry(new ZipEntry(records.folder() + "/" + name));
                zip.write(name.endsWith(".py") ? source : content);
            }
        }
        return out.toByteArray();
    }

    @Test
    void unreadableModelsAreIllegalArguments(@TempDir Path folder) throws IOException {
        assertThrows(
                IllegalArgumentException.class,
                () -> Module.load(folder.resolve("none.pt").toString()));
        byte[] bytes = resource("host-model.pt");
        assertThrows(IllegalArgumentException.class, () -> Module.load(Arrays.copyOf(bytes, 1000)));
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                Module.load(damaged);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().startsWith("model buffer: "), e.getMessage());
            }
        }
    }

    @Test
    void aDestroyedModuleRefusesToRun() throws IOException {
        Module other = Module.load(resource("host-model.pt"));
        other.destroy();
        assertThrows(IllegalStateException.class, () -> other.runMethod("is_training"));
        other.destroy();
    }
}
