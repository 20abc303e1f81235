package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** On a file of genuine PyTorch; src/test/python/make_lite_module.py says how it was made. */
class FlatbufferModuleTest {
    private static byte[] file() throws IOException {
        try (InputStream in = FlatbufferModuleTest.class.getResourceAsStream("/archive/lite_module.ff")) {
            return in.readAllBytes();
        }
    }

    @Test
    void extraFilesAreKept() throws IOException {
        ByteBuffer note = TorchScriptArchive.of(file()).extraFiles().get("note.txt");
        assertEquals("hello", StandardCharsets.UTF_8.decode(note).toString());
    }

    @Test
    void knowsItsIdentifier() throws IOException {
        assertTrue(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap(file())));
        assertFalse(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap(new byte[] {1, 2})));
        assertFalse(FlatbufferModule.isFlatbuffer(
                ByteBuffer.wrap("PK, not a flat buffer".getBytes(StandardCharsets.US_ASCII))));
    }

    /** Everything that a value may be, as it is read from what is written of it. */
    @Test
    void allValuesAreWrittenAndRead() throws IOException {
        Tensor base = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
        Tensor column = new Tensor(base.storage(), 1, new int[] {2}, new int[] {3}, null);
        Tensor quantized = new Tensor(
                Storage.of(DType.QINT8, new byte[] {1, -2, 3, -4}),
                0,
                new int[] {2, 2},
                new int[] {2, 1},
                new Quantization.PerChannel(new double[] {0.5, 0.25}, new double[] {1, -1}, 0, false));
        PickledList shared = new PickledList("List[str]", List.of("a", "b"));
        PickledDict state = new PickledDict(null)
                .put("whole", base)
                .put("column", column)
                .put("quantized", quantized)
                .put(
                        "tensor",
                        new Tensor(
                                Storage.of(DType.QUINT8, new byte[] {7}),
                                0,
                                new int[] {1},
                                new int[] {1},
                                new Quantization.PerTensor(0.1, 3)))
                .put(
                        "numbers",
                        ScriptTuple.of(
                                1L,
                                -2.5,
                                true,
                                null,
                                new Complex(1, -2),
                                TorchDevice.parse("cpu"),
                                -0.0,
                                Long.MIN_VALUE))
                .put("ints", new PickledList("List[int]", List.of(1L, Long.MAX_VALUE)))
                .put("reals", new PickledList("List[float]", List.of(0.5)))
                .put("truths", new PickledList("List[bool]", List.of(true, false)))
                .put("one", shared)
                .put("same", shared)
                .put("dict", new PickledDict("Dict[str, Tensor]").put("k", base))
                .put(
                        "packed",
                        new PickledObject(
                                "__torch__.torch.classes.quantized.LinearPackedParamsBase",
                                ScriptTuple.of(quantized, null)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3)
                .data(new PickledObject("__torch__.M", state))
                .bytecode(ScriptTuple.of(9L))
                .flatBuffer(true)
                .write(out);
        PickledObject read =
                (PickledObject) TorchScriptArchive.of(out.toByteArray()).data();
        PickledDict found = (PickledDict) read.state();
        assertEquals("__torch__.M", read.className());
        assertEquals(
                state.entries().stream().map(Map.Entry::getKey).toList(),
                found.entries().stream().map(Map.Entry::getKey).toList());
        assertEquals(state.get("numbers"), found.get("numbers"));
        for (String list : List.of("ints", "reals", "truths", "one")) {
            assertEquals(((PickledList) state.get(list)).type(), ((PickledList) found.get(list)).type());
            assertEquals(((PickledList) state.get(list)).items(), ((PickledList) found.get(list)).items());
        }
        assertSame(found.get("one"), found.get("same"), "what is one list stays one");
        assertSame(
                ((Tensor) found.get("whole")).storage(),
                ((Tensor) found.get("column")).storage(),
                "what shares memory shares it");
        assertArrayEquals(new float[] {2, 5}, ((Tensor) found.get("column")).toFloatArray());
        assertEquals(new Quantization.PerTensor(0.1, 3), ((Tensor) found.get("tensor")).quantization());
        assertTrue(((Tensor) found.get("quantized")).quantization() instanceof Quantization.PerChannel q
                && Arrays.equals(q.scales(), new double[] {0.5, 0.25})
                && Arrays.equals(q.zeroPoints(), new double[] {1, -1}));
        PickledDict dict = (PickledDict) found.get("dict");
        assertEquals("Dict[str, Tensor]", dict.type());
        assertSame(found.get("whole"), dict.get("k"));
        PickledObject packed = (PickledObject) found.get("packed");
        assertEquals("__torch__.torch.classes.quantized.LinearPackedParamsBase", packed.className());
        assertEquals(2, ((ScriptTuple) packed.state()).size());
    }

    @Test
    void countsThatDoNotFitAreRefused() {
        ScriptTuple body = ScriptTuple.of(
                ScriptTuple.of("instructions", ScriptTuple.of(ScriptTuple.of("STOREN", 1L, 70_000L))),
                ScriptTuple.of("operators", ScriptTuple.of()),
                ScriptTuple.of("constants", ScriptTuple.of()),
                ScriptTuple.of("types", ScriptTuple.of()),
                ScriptTuple.of("register_size", 1L));
        ScriptTuple schema = ScriptTuple.of(
                ScriptTuple.of("arguments", ScriptTuple.of()), ScriptTuple.of("returns", ScriptTuple.of()));
        ArchiveWriter writer = new ArchiveWriter("m", 3)
                .data(new PickledObject("__torch__.M", new PickledDict(null)))
                .bytecode(ScriptTuple.of(9L, ScriptTuple.of("__torch__.M.forward", body, schema)))
                .flatBuffer(true);
        ArchiveException e = assertThrows(ArchiveException.class, () -> writer.write(new ByteArrayOutputStream()));
        assertEquals(
                "__torch__.M.forward: instruction STOREN of 70000 values (expected: at most 65535 in a flatbuffer; "
                        + "write byte code as an archive)",
                e.getMessage());
    }

    @Test
    void truncatedFilesAreRefused() throws IOException {
        byte[] whole = file();
        for (int length = 12; length < whole.length - 64; length += 53) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(part), "length " + length);
        }
    }

    /** Lists of lists: the first is empty, each other one holds the one before it twice. */
    @Test
    void sharedPartsDoNotUnpackToMuchMoreThanTheFile() {
        Bytes bytes = new Bytes();
        int levels = 60;
        int[] values = new int[levels];
        for (int i = 0; i < levels; i++) {
            int items = i == 0 ? bytes.numbers() : bytes.numbers(i - 1, i - 1);
            values[i] = bytes.table((byte) 7, new Ref(bytes.table(new Ref(items))));
        }
        byte[] file = bytes.file(bytes.table(9, null, null, levels - 1, new Ref(bytes.refs(values))));
        ArchiveException e = assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(file));
        assertTrue(e.getMessage().startsWith("flatbuffer: elements, each as often as it is shared"), e.getMessage());
    }

    /** One vector of numbers that many lists are. */
    @Test
    void sharedVectorsDoNotEither() {
        Bytes bytes = new Bytes();
        int numbers = bytes.numbers(new int[20_000]);
        int[] values = new int[1000];
        for (int i = 0; i < values.length; i++) {
            values[i] = bytes.table((byte) 13, new Ref(bytes.table(new Ref(numbers))));
        }
        int[] indexes = new int[values.length];
        Arrays.setAll(indexes, i -> i);
        int all = bytes.table((byte) 8, new Ref(bytes.table(new Ref(bytes.numbers(indexes)))));
        int[] withAll = Arrays.copyOf(values, values.length + 1);
        withAll[values.length] = all;
        byte[] file = bytes.file(bytes.table(9, null, null, values.length, new Ref(bytes.refs(withAll))));
        ArchiveException e = assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(file));
        assertTrue(e.getMessage().startsWith("flatbuffer: elements, each as often as it is shared"), e.getMessage());
    }

    @Test
    void absentFieldsAreTold() {
        for (int kind = 5; kind <= 16; kind++) {
            Bytes bytes = new Bytes();
            int value = bytes.table((byte) kind);
            byte[] file = bytes.file(bytes.table(9, null, null, 0, new Ref(bytes.refs(value))));
            ArchiveException e =
                    assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(file), "kind " + kind);
            assertTrue(e.getMessage().contains("is absent (expected: a table)"), e.getMessage());
        }
    }

    /** A part of a buffer, by its distance from the end. */
    private record Ref(int part) {}

    /**
     * A FlatBuffer made from its end, so that references lead forward; without alignment, which the reader does not ask
     * for.
     */
    private static final class Bytes {
        private static final int CAPACITY = 1 << 20;

        private final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
        private int used;

        private int take(int count) {
            used += count;
            return CAPACITY - used;
        }

        private void refer(int at, int part) {
            bytes.putInt(at, CAPACITY - part - at);
        }

        /** @param fields int, byte, {@link Ref}, or null for an absent one; each takes four bytes */
        int table(Object... fields) {
            int at = take(4 + 4 * fields.length);
            int part = used;
            int vtable = take(4 + 2 * fields.length);
            bytes.putInt(at, at - vtable);
            bytes.putShort(vtable, (short) (4 + 2 * fields.length));
            bytes.putShort(vtable + 2, (short) (4 + 4 * fields.length));
            for (int i = 0; i < fields.length; i++) {
                int field = at + 4 + 4 * i;
                bytes.putShort(vtable + 4 + 2 * i, (short) (fields[i] == null ? 0 : 4 + 4 * i));
                if (fields[i] instanceof Ref ref) {
                    refer(field, ref.part);
                } else if (fields[i] instanceof Number number) {
                    bytes.putInt(field, number.intValue());
                }
            }
            return part;
        }

        int numbers(int... numbers) {
            int at = take(4 + 4 * numbers.length);
            bytes.putInt(at, numbers.length);
            for (int i = 0; i < numbers.length; i++) {
                bytes.putInt(at + 4 + 4 * i, numbers[i]);
            }
            return used;
        }

        int refs(int... parts) {
            int at = take(4 + 4 * parts.length);
            bytes.putInt(at, parts.length);
            for (int i = 0; i < parts.length; i++) {
                refer(at + 4 + 4 * i, parts[i]);
            }
            return used;
        }

        byte[] file(int root) {
            int at = take(8);
            refer(at, root);
            bytes.put(at + 4, "PTMF".getBytes(StandardCharsets.US_ASCII));
            return Arrays.copyOfRange(bytes.array(), at, CAPACITY);
        }
    }
}
