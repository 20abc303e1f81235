package org.torchnnapi.testkit.captured;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.EngineOptions;

/** Files that PyTorch 2.10 saved, with its answers; {@code ci/modern/run --keep} writes them. */
class ModernFilesTest {
    @TempDir
    private static Path folder;

    @Test
    void filesOfPyTorch2AnswerAsThere() throws IOException {
        unpack();
        assertAllPass(false, 100);
        assertAllPass(true, 10);
    }

    private static void assertAllPass(boolean lite, int least) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        int failed = new CapturedConformance(EngineOptions.defaults(), lite).run(folder, "", false, new PrintStream(text, true, StandardCharsets.UTF_8));
        String report = text.toString(StandardCharsets.UTF_8);
        assertEquals(0, failed, report);
        String last = report.strip().substring(report.strip().lastIndexOf('\n') + 1);
        assertTrue(Integer.parseInt(last.substring(0, last.indexOf(' '))) >= least, last);
    }

    private static void unpack() throws IOException {
        try (InputStream in = ModernFilesTest.class.getResourceAsStream("modern.zip"); ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(entry.isDirectory() ? file : file.getParent());
                if (!entry.isDirectory()) {
                    Files.copy(zip, file);
                }
            }
        }
    }
}
