package org.torchnnapi.testkit.captured;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.EngineOptions;

/** Files that PyTorch 2.10 saved, with its answers; {@code ci/modern/run --keep} writes them. */
class ModernFilesTest {
    @TempDir
    private static Path folder;

    @Test
    void filesOfPyTorch2AnswerAsThere() throws IOException {
        assertAllPass(false, 100);
        assertAllPass(true, 10);
    }

    /**
     * What PyTorch's call from Python failed at beside the program is compared with what the same program answered as
     * source.
     */
    @Test
    void sourceAnswersWhereTheBindingOfByteCodeFailed(@TempDir Path one) throws IOException {
        for (String suffix : new String[] {".pt", ".ptl", ".args", ".json", ".out"}) {
            Files.copy(folder.resolve("blocks/lstm" + suffix), one.resolve("lstm" + suffix));
        }
        Files.write(one.resolve("lstm.lout"), outcome('e', "Tracer cannot infer type of []"));
        assertEquals("1 passed, 0 failed, 0 skipped", report(one));
        Files.write(one.resolve("lstm.out"), outcome('k', "N"));
        assertTrue(report(one).endsWith("0 passed, 1 failed, 0 skipped"));
        Files.write(
                one.resolve("lstm.out"),
                outcome('e', "forward() Expected a value of type 'int'. Declaration: forward(M self, int x) -> int"));
        assertEquals("0 passed, 0 failed, 1 skipped", report(one));
        Files.write(one.resolve("lstm.out"), outcome('l', "no such class"));
        assertEquals("0 passed, 0 failed, 1 skipped", report(one));
    }

    /**
     * Each file is written anew under its own path, and what was written answers alike, or is told not to be; of so
     * many only one is taken.
     */
    @Test
    void whatIsWrittenAnewIsRun(@TempDir Path out) throws IOException {
        for (boolean lite : new boolean[] {false, true}) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            int failed = new CapturedConformance(EngineOptions.defaults(), lite)
                    .writeTo(out)
                    .everyOneOf(3)
                    .run(folder, "", true, new PrintStream(text, true, StandardCharsets.UTF_8));
            String report = text.toString(StandardCharsets.UTF_8);
            // Operators of PyTorch 2, which lite interpreters that read byte code lack.
            long newer = report.lines()
                    .filter(line -> line.contains(": not written: ") && line.contains("not in PyTorch 1.13"))
                    .count();
            assertEquals(lite ? newer : 0, failed, report);
            String name = report.lines()
                    .filter(line -> line.startsWith("PASSED "))
                    .findFirst()
                    .orElseThrow()
                    .split(" ")[1];
            Path written = out.resolve(name + (lite ? ".ptl" : ".pt"));
            Path original = folder.resolve(name + (lite ? ".ptl" : ".pt"));
            assertFalse(Arrays.equals(Files.readAllBytes(original), Files.readAllBytes(written)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new CapturedConformance(EngineOptions.defaults(), false).everyOneOf(0));
    }

    private static byte[] outcome(char status, String frame) {
        byte[] bytes = frame.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + Integer.BYTES + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) status)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    private static String report(Path cases) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        new CapturedConformance(EngineOptions.defaults(), true)
                .run(cases, "", false, new PrintStream(text, true, StandardCharsets.UTF_8));
        return text.toString(StandardCharsets.UTF_8).strip();
    }

    private static void assertAllPass(boolean lite, int least) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        int failed = new CapturedConformance(EngineOptions.defaults(), lite)
                .run(folder, "", false, new PrintStream(text, true, StandardCharsets.UTF_8));
        String report = text.toString(StandardCharsets.UTF_8);
        assertEquals(0, failed, report);
        String last = report.strip().substring(report.strip().lastIndexOf('\n') + 1);
        assertTrue(Integer.parseInt(last.substring(0, last.indexOf(' '))) >= least, last);
    }

    @BeforeAll
    static void unpack() throws IOException {
        try (InputStream in = ModernFilesTest.class.getResourceAsStream("modern.zip");
                ZipInputStream zip = new ZipInputStream(in)) {
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
