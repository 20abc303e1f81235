package org.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

class LiteModuleLoaderTest {
    private static final String COMPARE = "torchnnapi.lite.compare";

    @TempDir
    private Path folder;

    private Path file(String name, String from, String to) throws IOException {
        byte[] archive;
        try (InputStream in = LiteModuleLoaderTest.class.getResourceAsStream("host-model.ptl")) {
            archive = in.readAllBytes();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TorchScriptArchive records = TorchScriptArchive.of(archive);
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (String record : records.records()) {
                byte[] content = new byte[records.bytes(record).remaining()];
                records.bytes(record).get(content);
                zip.putNextEntry(new ZipEntry(records.folder() + "/" + record));
                zip.write(
                        record.endsWith(".py")
                                ? new String(content, StandardCharsets.UTF_8)
                                        .replace(from, to)
                                        .getBytes(StandardCharsets.UTF_8)
                                : content);
            }
        }
        return Files.write(folder.resolve(name), out.toByteArray());
    }

    private static List<String> warnings(Path file) throws Exception {
        List<String> said = new ArrayList<>();
        Logger log = Logger.getLogger(LiteModuleLoader.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord message) {
                // Other tests load models at the same time.
                if (message.getMessage().contains(file.toString())) {
                    said.add(message.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try {
            LiteModuleLoader.load(file.toString()).destroy();
            // Comparisons are made one after the other.
            LiteFiles.COMPARISONS.submit(() -> {}).get();
        } finally {
            log.removeHandler(handler);
        }
        return said;
    }

    @Test
    void sourceThatIsNotTheByteCodesIsSaid() throws Exception {
        Path whole = file("whole.ptl", "torch.add(", "torch.add(");
        Path forged = file("forged.ptl", "torch.add(", "torch.sub(");
        assertEquals(List.of(), warnings(whole));
        assertEquals(
                "model " + forged + ": refuse: its source is not what a phone runs; byte code alone has aten::add",
                warnings(forged).get(0));
    }

    @Test
    void nothingIsComparedWhereThatIsDeclined() throws Exception {
        System.setProperty(COMPARE, "false");
        try {
            assertEquals(List.of(), warnings(file("forged.ptl", "torch.add(", "torch.sub(")));
        } finally {
            System.clearProperty(COMPARE);
        }
    }
}
