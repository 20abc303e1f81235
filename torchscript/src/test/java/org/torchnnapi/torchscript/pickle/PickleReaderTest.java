package org.torchnnapi.torchscript.pickle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

class PickleReaderTest {
    /** Characters are bytes. */
    private static Object read(String pickle) {
        return PickleReader.read(
                "test.pkl",
                ByteBuffer.wrap(pickle.getBytes(StandardCharsets.ISO_8859_1)),
                (dtype, key, length) -> Storage.allocate(dtype, 8),
                ReadBudget.of(pickle.length()),
                true);
    }

    private static String refusal(String pickle) {
        return assertThrows(ArchiveException.class, () -> read(pickle)).getMessage();
    }

    @Test
    void scalars() {
        assertNull(read("\u0080\u0002N."));
        assertEquals(200L, read("K\u00c8."));
        assertEquals(40000L, read("M\u0040\u009c."));
        assertEquals(-129L, read("J\u007f\u00ff\u00ff\u00ff."));
        assertEquals(-2L, read("\u008a\u0001\u00fe."));
        assertEquals(0L, read("\u008a\u0000."));
        assertEquals(1L << 40, read("\u008a\u0008\0\0\0\0\0\u0001\0\0."));
        assertEquals(0.1, read("G\u003f\u00b9\u0099\u0099\u0099\u0099\u0099\u009a."));
        assertEquals("é", read("X\u0002\0\0\0\u00c3\u00a9."));
        assertEquals(true, read("\u0088."));
    }

    @Test
    void memoNumbersComeInAnyOrder() {
        assertEquals(
                "(a, b, a, c)",
                read("(X\u0001\0\0\0aq\u0007X\u0001\0\0\0bq\0h\u0007X\u0001\0\0\0cq\u0001t.")
                        .toString());
        assertEquals(
                "(a, b, b)",
                read("(X\u0001\0\0\0aq\u0001X\u0001\0\0\0bq\0q\u0001h\u0001t.").toString(),
                "stored anew");
        assertEquals(
                "(a, b)",
                read("(X\u0001\0\0\0ar\u00ff\u00ff\u00ff\u007f0X\u0001\0\0\0b0j\u00ff\u00ff\u00ff\u007fX\u0001\0\0\0b"
                                + "t.")
                        .toString());
        assertTrue(
                refusal("Nq\0q\u0005h\u0003.")
                        .contains("memo entry 3 at byte 7 (expected: one of the 2 stored before)"),
                refusal("Nq\0q\u0005h\u0003."));
    }

    @Test
    void protocolFourSpellings() {
        assertEquals("ab", read("\u0080\u0004\u0095\u0005\0\0\0\0\0\0\0\u008c\u0002ab\u0094."));
        PickledObject object = (PickledObject) read("\u008c\u0009__torch__\u008c\u0001M\u0093)\u0081}b.");
        assertEquals("__torch__.M", object.className());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "os system",
                "builtins eval",
                "posix system",
                "__builtin__ exec",
                "torch load",
                "subprocess Popen",
                "torch.jit._pickle",
                "__torch__evil Class",
                "numpy.core.multiarray _reconstruct"
            })
    void unknownGlobalsAreNamed(String global) {
        String[] parts = (global + " ").split(" ", -1);
        String message = refusal("c" + parts[0] + "\n" + parts[1] + "\n.");
        assertTrue(message.contains(parts[0] + "." + parts[1]), message);
        assertTrue(message.contains("no code is run"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "K",
                "(",
                "(.",
                ".",
                "t.",
                "N\u0085",
                "R.",
                "NNR.",
                "]N\u0081.",
                "h\u0005.",
                "j\u00ff\u00ff\u00ff\u00ff.",
                "X\u00ff\u00ff\u00ff\u00ffa.",
                "\u008d\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ffa.",
                "\u008a\u0009aaaaaaaaa.",
                "\u0080\u0005N.",
                "]\u0085(e.",
                "}(K\u0001u.",
                "Na.",
                "NNb.",
                "NQ.",
                "ctorch\nFloatStorage\n.",
                "ctorch\nFloatStorage\n\u0085.",
                "c__torch__\nA\n)\u0081NbNb.",
                "(N\u0086.",
                "X\u0001\0\0\0\u00ff.",
                "\u00fe.",
                "c__torch__\nA\n)R.",
                "cbuiltins\ncomplex\n)R.",
                "ctorch\ndevice\nK\u0001\u0085R.",
                "ctorch\nper_tensor_affine\n)R.",
                "c__torch__\nA\n."
            })
    void damagedPicklesAreRefused(String pickle) {
        refusal(pickle);
    }

    @Test
    void deepNestingIsRefused() {
        assertTrue(refusal("N" + "\u0085".repeat(100_000) + ".").contains("deeper"));
        assertTrue(refusal("(".repeat(100_000) + "t".repeat(100_000) + ".").contains("marks"));
        assertTrue(refusal("]".repeat(100_000) + "a".repeat(99_999) + ".").contains("deeper"));
    }

    @Test
    void aListInsideItselfIsRefused() {
        assertTrue(refusal("]q\0h\0a.").contains("contains itself"));
        assertTrue(refusal("c__torch__\nA\n)\u0081q\0h\0\u0085b.").contains("contains itself"));
        assertTrue(refusal("]q\0}q\u0001h\0h\0sah\u0001a.").contains("contains itself"));
    }

    @Test
    void exponentialSharingEndsAtOnce() {
        StringBuilder pickle = new StringBuilder(")q\0");
        for (int i = 0; i < 12; i++) {
            pickle.append("h\0h\0\u0086q\0");
        }
        Object value = read(pickle + ".");
        byte[] again = PickleWriter.write(value, storage -> "0");
        assertTrue(again.length < 400, "length " + again.length);
        for (int i = 0; i < 188; i++) {
            pickle.append("h\0h\0\u0086q\0");
        }
        assertTrue(refusal(pickle + ".").contains("as often as it is shared"));
        for (int i = 0; i < 300; i++) {
            pickle.append("h\0h\0\u0086q\0");
        }
        assertTrue(refusal(pickle + ".").contains("deeper"));
    }

    @Test
    void randomOpcodesNeverBreakTheReader() {
        String opcodes =
                "().0GJKMNQRX]abcdehjlqrstu}\u0080\u0081\u0085\u0086\u0087\u0088\u0089\u008a\u008c\u0093\u0094";
        String[] globals = {
            "ctorch._utils\n_rebuild_tensor_v2\n",
            "ctorch._utils\n_rebuild_qtensor\n",
            "ctorch\nFloatStorage\n",
            "ctorch\nQInt8Storage\n",
            "c__torch__\nA\n",
            "ctorch.jit._pickle\nrestore_type_tag\n",
            "ctorch.jit._pickle\nbuild_intlist\n",
            "X\u0007\0\0\0storage",
            "ctorch\nper_tensor_affine\n",
            "ctorch\nper_channel_affine\n",
            "ctorch\ndevice\n"
        };
        Random random = new Random(3);
        for (int round = 0; round < 60_000; round++) {
            StringBuilder pickle = new StringBuilder();
            for (int i = random.nextInt(40); i >= 0; i--) {
                if (random.nextInt(4) == 0) {
                    pickle.append(globals[random.nextInt(globals.length)]);
                } else {
                    pickle.append(opcodes.charAt(random.nextInt(opcodes.length())));
                    if (random.nextInt(3) == 0) {
                        pickle.append((char) random.nextInt(4));
                    }
                }
            }
            try {
                read(pickle + ".");
            } catch (ArchiveException e) {
                assertTrue(e.getMessage().startsWith("test.pkl: "), e.getMessage());
            }
        }
    }

    /** A tensor over a storage of 8 elements. */
    private static String tensor(String offset, String sizes, String strides) {
        return "ctorch._utils\n_rebuild_tensor_v2\n((X\u0007\0\0\0storagectorch\nFloatStorage\n"
                + "X\u0001\0\0\u00000X\u0003\0\0\0cpuK\u0008tQ"
                + offset + sizes + strides + "\u0089ccollections\nOrderedDict\n)RtR.";
    }

    @Test
    void tensorsStayInsideTheirStorages() {
        assertArrayEquals(
                new int[] {2, 4}, ((Tensor) read(tensor("K\0", "(K\u0002K\u0004t", "(K\u0004K\u0001t"))).sizes());
        refusal(tensor("K\u0001", "(K\u0002K\u0004t", "(K\u0004K\u0001t"));
        refusal(tensor("K\0", "(K\u0009t", "(K\u0001t"));
        refusal(tensor("K\0", "(K\u0002t", "(K\u0009t"));
        refusal(tensor("K\0", "(K\u0002K\u0004t", "(K\u0004t"));
        refusal(tensor("J\u00ff\u00ff\u00ff\u00ff", "(K\u0001t", "(K\u0001t"));
        refusal(tensor("K\0", "(J\u00ff\u00ff\u00ff\u00fft", "(K\u0001t"));
        refusal(tensor("\u008a\u0008\0\0\0\0\0\0\0\u0001", "(K\u0001t", "(K\u0001t"));
        refusal(tensor("N", "(K\u0001t", "(K\u0001t"));
    }

    @Test
    void hugeExpandedTensorsAreRefused() {
        String huge = "J\u00ff\u00ff\u00ff\u007f";
        assertTrue(refusal(tensor("K\0", "(" + huge + "t", "(K\0t")).contains("elements"));
        refusal(tensor("K\0", "(" + huge + huge + huge + "t", "(K\0K\0K\0t"));
    }

    @Test
    void writtenValuesComeBack() {
        PickledDict state = new PickledDict(null);
        PickledList strings = new PickledList("List[str]", List.of("a", "b", "a"));
        Tensor tensor = Tensor.of(new float[] {1, 2, 3}, 3).requiresGrad(true);
        Tensor quantized = new Tensor(
                Storage.of(DType.QINT8, new byte[] {1, 2}),
                0,
                new int[] {2},
                new int[] {1},
                new Quantization.PerChannel(new double[] {0.5, 0.25}, new double[] {0, 1}, 0, false));
        state.put("s", strings)
                .put("again", strings)
                .put("t", tensor)
                .put("u", tensor)
                .put("q", quantized)
                .put("n", null)
                .put("i", Long.MIN_VALUE)
                .put("f", -0.0)
                .put("c", new Complex(1, -1))
                .put("d", TorchDevice.CPU)
                .put("e", new PickledEnum("__torch__.E", "x"))
                .put("p", ScriptTuple.of(1L, 2L, 3L, 4L))
                .put("o", ScriptTuple.of());
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        Map<String, Storage> storages = new HashMap<>();
        raw.writeBytes(PickleWriter.write(new PickledObject("__torch__.A", state), storage -> {
            storages.put(Integer.toString(storages.size()), storage);
            return Integer.toString(storages.size() - 1);
        }));
        PickledObject object = (PickledObject) PickleReader.read(
                "x",
                ByteBuffer.wrap(raw.toByteArray()),
                (d, key, n) -> storages.get(key),
                ReadBudget.of(raw.size()),
                true);
        PickledDict back = (PickledDict) object.state();
        assertTrue(back.get("s") == back.get("again"));
        assertEquals(strings.items(), ((PickledList) back.get("s")).items());
        assertTrue(back.get("t") == back.get("u"));
        assertTrue(((Tensor) back.get("t")).requiresGrad());
        Quantization.PerChannel q = (Quantization.PerChannel) ((Tensor) back.get("q")).quantization();
        assertArrayEquals(new double[] {0.5, 0.25}, q.scales());
        assertArrayEquals(new double[] {0, 1}, q.zeroPoints());
        for (String key : List.of("n", "i", "f", "c", "d", "e", "p", "o")) {
            assertEquals(state.get(key), back.get(key), key);
        }
    }

    @Test
    void writerRefusesWhatPyTorchCouldNotRead() {
        assertThrows(
                ArchiveException.class, () -> PickleWriter.write(new PickledObject("os.system", null), storage -> "0"));
        assertThrows(ArchiveException.class, () -> PickleWriter.write(new StringBuilder(), storage -> "0"));
        PickledList cycle = new PickledList("List[int]");
        cycle.items().add(cycle);
        assertThrows(ArchiveException.class, () -> PickleWriter.write(cycle, storage -> "0"));
    }
}
