package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

class FileOriginTest {
    @Test
    void operatorsTellTheReleaseThatHasThemFirst() {
        assertEquals(
                Map.of("aten::rms_norm", "2.5", "aten::scaled_dot_product_attention", "2.0"),
                FileOrigin.newOperators(List.of("aten::relu", "aten::scaled_dot_product_attention", "aten::rms_norm")));
    }

    @Test
    void anArchiveWithoutByteOrderIsNotOf21OrLater() throws IOException {
        TorchScriptArchive archive = TorchScriptArchive.of(archive());
        assertEquals("PyTorch before 2.1, or this project", FileOrigin.writer(archive, List.of("aten::relu")));
        assertEquals("PyTorch 2.0", FileOrigin.writer(archive, List.of("aten::scaled_dot_product_attention")));
    }

    @Test
    void anArchiveWithByteOrderAndIdentityIsOf21OrLater() throws IOException {
        TorchScriptArchive archive =
                TorchScriptArchive.of(archive("byteorder", "little", ".data/serialization_id", "01"));
        assertEquals("PyTorch 2.1 or later", FileOrigin.writer(archive, List.of("aten::scaled_dot_product_attention")));
        assertEquals("PyTorch 2.2 or later", FileOrigin.writer(archive, List.of("aten::rms_norm")));
    }

    /** An archive with records of these names and texts beside those that there have to be. */
    private static byte[] archive(String... records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            add(zip, "version", "3\n");
            add(zip, "data.pkl", "\u0080\u0002).");
            add(zip, "constants.pkl", "\u0080\u0002).");
            for (int i = 0; i < records.length; i += 2) {
                add(zip, records[i], records[i + 1]);
            }
        }
        return bytes.toByteArray();
    }

    private static void add(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry("net/" + name));
        zip.write(text.getBytes(StandardCharsets.ISO_8859_1));
        zip.closeEntry();
    }
}
