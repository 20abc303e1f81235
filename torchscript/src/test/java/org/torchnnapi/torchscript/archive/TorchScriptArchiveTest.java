package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** The archives here were written by genuine PyTorch: see src/test/python/make_archives.py. */
class TorchScriptArchiveTest {
    static byte[] resource(String name) {
        try (InputStream in = TorchScriptArchiveTest.class.getResourceAsStream("/archive/" + name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final TorchScriptArchive KINDS = TorchScriptArchive.of(resource("kinds.pt"));

    private static Object attribute(String name) {
        return ((PickledDict) ((PickledObject) KINDS.data()).state()).get(name);
    }

    private static Tensor tensor(String name) {
        return (Tensor) attribute(name);
    }

    @Test
    void knowsItsRecordsAndVersion() {
        assertEquals("kinds", KINDS.folder());
        assertEquals(3, KINDS.version());
        assertTrue(KINDS.records().contains("code/__torch__.py"));
        assertEquals(
                "hello",
                StandardCharsets.UTF_8
                        .decode(KINDS.extraFiles().get("notes.txt"))
                        .toString());
        assertEquals(2, KINDS.extraFiles().get("dir/more.bin").remaining());
        assertFalse(KINDS.hasBytecode());
        assertTrue(KINDS.sources().get("code/__torch__.py").contains("class Kinds(Module):"));
    }

    @Test
    void tensorsShareStoragesAndKeepStrides() {
        assertSame(tensor("base").storage(), tensor("row").storage());
        assertSame(tensor("base").storage(), tensor("transposed").storage());
        assertEquals(4, tensor("row").offset());
        assertArrayEquals(new int[] {1, 4}, tensor("transposed").strides());
        assertArrayEquals(new int[] {0, 0}, tensor("wide").strides());
        assertEquals(7, tensor("wide").getDouble(5));
        assertTrue(tensor("nhwc").isContiguous(MemoryFormat.CHANNELS_LAST));
        assertEquals(5, tensor("nhwc").getDouble(5));
        assertArrayEquals(new int[0], tensor("scalar").sizes());
        assertArrayEquals(new int[] {0, 3}, tensor("empty").sizes());
    }

    @Test
    void tiedParametersAreOneTensor() {
        Object first = ((PickledDict) ((PickledObject) attribute("first")).state()).get("weight");
        Object second = ((PickledDict) ((PickledObject) attribute("second")).state()).get("weight");
        assertInstanceOf(Tensor.class, first);
        assertSame(first, second);
        assertTrue(((Tensor) first).requiresGrad());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"uint8", "int8", "int16", "int32", "int64", "float16", "float64", "bfloat16", "bool", "complex64"
            })
    void everyElementType(String dtype) {
        Tensor tensor = tensor("t_" + dtype);
        assertEquals(DType.ofName(dtype), tensor.dtype());
        assertArrayEquals(
                new double[] {1, 0, dtype.equals("bool") ? 1 : 3},
                new double[] {tensor.getDouble(0), tensor.getDouble(1), tensor.getDouble(2)});
    }

    @Test
    void quantizedTensors() {
        assertEquals(new Quantization.PerTensor(0.25, 10), tensor("per_tensor").quantization());
        assertArrayEquals(new long[] {12, 6}, tensor("per_tensor").toLongArray());
        Quantization.PerChannel q = assertInstanceOf(
                Quantization.PerChannel.class, tensor("per_channel").quantization());
        assertArrayEquals(new double[] {0.25, 0.5}, q.scales());
        assertEquals(0, q.axis());
        assertArrayEquals(new long[] {2, -2}, tensor("per_channel").toLongArray());
    }

    @Test
    void containersKeepTheirTypes() {
        PickledList ints = (PickledList) attribute("ints");
        assertEquals("List[int]", ints.type());
        assertEquals(List.of(1L, -2L, 300L, 1L << 33), ints.items());
        assertEquals(List.of(0.1, Double.POSITIVE_INFINITY, Double.NaN), ((PickledList) attribute("floats")).items());
        assertEquals("List[str]", ((PickledList) attribute("strings")).type());
        assertEquals("café ☃", ((PickledList) attribute("strings")).items().get(1));
        assertEquals("List[List[int]]", ((PickledList) attribute("nested")).type());
        assertEquals("List[Tensor]", ((PickledList) attribute("tensors")).type());
        assertEquals("Dict[str, int]", ((PickledDict) attribute("by_name")).type());
        assertEquals(2L, ((PickledDict) attribute("by_name")).get("j"));
        assertEquals("Dict[int, Tensor]", ((PickledDict) attribute("by_number")).type());
        assertEquals(ScriptTuple.of(1L, ScriptTuple.of("two", 3.0)), attribute("pair"));
        assertNull(attribute("maybe"));
        assertEquals(new PickledEnum("__torch__.Color", 2L), attribute("color"));
        assertEquals(TorchDevice.CPU, attribute("device"));
        assertEquals(new Complex(1, 2), attribute("z"));
    }

    @Test
    void debugInformationNamesThePythonLine() {
        String source = KINDS.sources().get("code/__torch__.py");
        SourceMap map = KINDS.sourceMap("code/__torch__.py");
        SourceMap.Position position = map.lookup(source.indexOf("torch.mul("));
        assertTrue(position.file().endsWith("make_archives.py"), position.file());
        assertEquals("return x * self.weight", position.text());
        assertTrue(position.line() > 1);
        assertNull(SourceMap.EMPTY.lookup(0));
        assertNull(KINDS.sourceMap("code/no_such.py").lookup(10));
    }

    @Test
    void packedParametersKeepTheirState() {
        TorchScriptArchive packed = TorchScriptArchive.of(resource("packed.pt"));
        List<PickledObject> found = new ArrayList<>();
        collect(packed.data(), found);
        PickledObject params = found.stream()
                .filter(o -> o.className().endsWith("LinearPackedParamsBase"))
                .findFirst()
                .orElseThrow();
        ScriptTuple state = (ScriptTuple) params.state();
        assertEquals(DType.QINT8, ((Tensor) state.get(0)).dtype());
        assertEquals(DType.FLOAT32, ((Tensor) state.get(1)).dtype());
    }

    private static void collect(Object value, List<PickledObject> found) {
        if (value instanceof PickledObject object) {
            found.add(object);
            collect(object.state(), found);
        } else if (value instanceof PickledDict dict) {
            dict.entries().forEach(entry -> collect(entry.getValue(), found));
        }
    }

    @Test
    void byteCodeOfALiteFileSharesItsTensors() {
        TorchScriptArchive lite = TorchScriptArchive.of(resource("tiny.ptl"));
        assertTrue(lite.hasBytecode());
        assertEquals(8L, ((ScriptTuple) lite.bytecode()).get(0));
        assertInstanceOf(PickledObject.class, lite.data());
    }

    @Test
    void copyKeepsEveryByteOfEveryRecord() throws IOException {
        for (String name : List.of("kinds.pt", "packed.pt", "tiny.pt", "tiny.ptl")) {
            TorchScriptArchive original = TorchScriptArchive.of(resource(name));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ArchiveWriter.copy(original, out);
            TorchScriptArchive copy = TorchScriptArchive.of(out.toByteArray());
            assertEquals(new ArrayList<>(original.records()), new ArrayList<>(copy.records()));
            for (String record : original.records()) {
                assertEquals(original.bytes(record), copy.bytes(record), record);
            }
        }
    }

    @Test
    void picklingAgainGivesPyTorchsBytes() throws IOException {
        for (String name : List.of("packed.pt", "tiny.pt")) {
            TorchScriptArchive original = TorchScriptArchive.of(resource(name));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ArchiveWriter.from(original).write(out);
            TorchScriptArchive copy = TorchScriptArchive.of(out.toByteArray());
            assertEquals(new ArrayList<>(original.records()), new ArrayList<>(copy.records()));
            for (String record : original.records()) {
                if (!record.equals("data.pkl") || name.equals("tiny.pt")) {
                    assertEquals(original.bytes(record), copy.bytes(record), record);
                }
            }
        }
    }

    @Test
    void rewrittenTreeIsTheSameTree() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ArchiveWriter.from(KINDS).write(out);
        TorchScriptArchive copy = TorchScriptArchive.of(out.toByteArray());
        assertEquals(TreeText.of(KINDS.data()), TreeText.of(copy.data()));
    }

    @Test
    void versionsFromSixOnLieInTheDataFolder() throws IOException {
        for (int version = 3; version <= 10; version++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new ArchiveWriter("m", version)
                    .data(new PickledObject("__torch__.M", new PickledDict(null)))
                    .write(out);
            TorchScriptArchive archive = TorchScriptArchive.of(out.toByteArray());
            assertEquals(version, archive.version());
            assertEquals(version >= 6, archive.has(".data/version"));
        }
    }

    @Test
    void opensFilesAndStreams(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("kinds.pt");
        Files.write(file, resource("kinds.pt"));
        TorchScriptArchive mapped = TorchScriptArchive.open(file);
        assertEquals(TreeText.of(KINDS.data()), TreeText.of(mapped.data()));
        assertEquals(
                3,
                TorchScriptArchive.of(new ByteArrayInputStream(resource("kinds.pt")))
                        .version());
    }

    @Test
    void aFailedWriteLeavesTheTargetAsItWas(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("m.pt");
        Files.writeString(file, "before");
        ArchiveWriter broken = new ArchiveWriter("m", 3).data(new Object());
        assertThrows(ArchiveException.class, () -> broken.write(file));
        assertEquals("before", Files.readString(file));
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void aWrittenFileIsAnOrdinaryOne(@TempDir Path folder) throws IOException {
        Path plain = Files.writeString(folder.resolve("plain"), "");
        Path file = folder.resolve("m.pt");
        ArchiveWriter.from(KINDS).write(file);
        if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            assertEquals(Files.getPosixFilePermissions(plain), Files.getPosixFilePermissions(file));
            Path link = Files.createSymbolicLink(folder.resolve("link.pt"), file);
            Files.writeString(file, "before");
            ArchiveWriter.from(KINDS).write(link);
            assertTrue(Files.isSymbolicLink(link));
            assertEquals(3, TorchScriptArchive.open(file).version());
        }
    }

    @Test
    void foldersAreNeitherReadNorReplaced(@TempDir Path folder) {
        assertThrows(FileSystemException.class, () -> ArchiveWriter.from(KINDS).write(folder));
        assertTrue(Files.isDirectory(folder));
        FileSystemException read = assertThrows(FileSystemException.class, () -> TorchScriptArchive.open(folder));
        assertEquals(folder + ": is a folder (expected: a file written by torch.jit.save)", read.getMessage());
        FileSystemException empty = assertThrows(FileSystemException.class, () -> TorchScriptArchive.open(Path.of("")));
        assertEquals("file: the name is empty (expected: a file written by torch.jit.save)", empty.getMessage());
    }

    /** Who opened a pipe that nobody writes to would wait for ever. */
    @Test
    void devicesAreNotRead() {
        Path device = Path.of("/dev/null");
        assumeTrue(Files.exists(device));
        String message = assertThrows(FileSystemException.class, () -> TorchScriptArchive.open(device))
                .getMessage();
        assertTrue(message.startsWith(device + ": is a pipe or device (expected: "), message);
    }

    @Test
    void writtenPayloadsAreAligned() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ArchiveWriter.from(KINDS).write(out);
        byte[] bytes = out.toByteArray();
        for (ZipEntryInfo entry : ZipReader.of(ByteBuffer.wrap(bytes)).entries().values()) {
            int at = (int) entry.headerOffset();
            int name = bytes[at + 26] & 0xFF | (bytes[at + 27] & 0xFF) << 8;
            int extra = bytes[at + 28] & 0xFF | (bytes[at + 29] & 0xFF) << 8;
            assertEquals(0, (at + 30 + name + extra) % 64, entry.name());
            assertEquals('F', bytes[at + 30 + name]);
            assertEquals('B', bytes[at + 31 + name]);
        }
    }
}
