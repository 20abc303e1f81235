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
}
