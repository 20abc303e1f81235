package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.format.ArchiveException;

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
        assertFalse(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap("PK, not a flat buffer".getBytes(StandardCharsets.US_ASCII))));
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
        assertTrue(e.getMessage().startsWith("flatbuffer: parts that are shared so often"), e.getMessage());
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
        assertTrue(e.getMessage().startsWith("flatbuffer: parts that are shared so often"), e.getMessage());
    }

    @Test
    void absentFieldsAreTold() {
        for (int kind = 5; kind <= 16; kind++) {
            Bytes bytes = new Bytes();
            int value = bytes.table((byte) kind);
            byte[] file = bytes.file(bytes.table(9, null, null, 0, new Ref(bytes.refs(value))));
            ArchiveException e = assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(file), "kind " + kind);
            assertTrue(e.getMessage().contains("is absent (expected: a table)"), e.getMessage());
        }
    }

    /** A part of a buffer, by its distance from the end. */
    private record Ref(int part) {
    }

    /** A FlatBuffer made from its end, so that references lead forward; without alignment, which the reader does not ask for. */
    private static final class Bytes {
        private static final int CAPACITY = 1 << 20;

        private final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY).order(java.nio.ByteOrder.LITTLE_ENDIAN);
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
