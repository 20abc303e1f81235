package org.torchnnapi.torchscript.format;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ModuleSource;

/** What files are told to be that are no models of PyTorch. */
class ForeignFormatsTest {
    private static void told(String expected, String front) {
        byte[] bytes = (front + "................................").getBytes(StandardCharsets.ISO_8859_1);
        String message = assertThrows(ArchiveException.class, () -> ModuleSource.of(ByteBuffer.wrap(bytes)))
                .getMessage();
        assertTrue(message.startsWith("file: " + expected), message);
        assertTrue(message.contains("(expected: "), message);
    }

    @Test
    void filesAreKnownByTheirFirstBytes() {
        told("an ExecuTorch program", "....ET12");
        told("a TensorFlow Lite model", "....TFL3");
        told("weights in GGUF", "GGUF");
        told("weights in safetensors", "@\0\0\0\0\0\0\0{\"__metadata__\"");
        told("an HDF5 file", "\u0089HDF\r\n\u001a\n");
        told("a PNG picture", "\u0089PNG\r\n");
        told("a JPEG picture", "\u00ff\u00d8\u00ff\u00e0");
        told("an ONNX model", "\u0008\u0008\u0012\u0007pytorch");
    }

    @Test
    void zipFilesAreKnownByTheirEntries() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("config.json"));
            zip.putNextEntry(new ZipEntry("model.weights.h5"));
        }
        String message = assertThrows(ArchiveException.class, () -> ModuleSource.of(ByteBuffer.wrap(out.toByteArray())))
                .getMessage();
        assertTrue(message.startsWith("file: a Keras model"), message);
        assertNull(ForeignFormats.ofEntries(List.of("a/data.pkl")));
        assertNull(ForeignFormats.ofEntries(List.of()));
    }

    @Test
    void anythingElseIsNotKnown() {
        assertNull(ForeignFormats.ofBytes(ByteBuffer.wrap(new byte[0])));
        assertNull(ForeignFormats.ofBytes(ByteBuffer.wrap(new byte[100])));
        assertNull(ForeignFormats.ofBytes(ByteBuffer.wrap("PK\3\4........".getBytes(StandardCharsets.ISO_8859_1))));
    }
}
