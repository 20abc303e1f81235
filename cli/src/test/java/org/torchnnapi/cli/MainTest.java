package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a whole, over the digits sample. */
class MainTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void convertsRunsAndExplains() {
        Path target = DigitsFiles.converted(folder);
        Run original = Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3");
        Run nnapi = Run.of("run", target, "--top", "3");
        assertEquals(0, nnapi.code(), nnapi.err());
        assertEquals(original.out(), nnapi.out());
        Run explained = Run.of("explain", target, "--profile", "quantized-npu", "--deny", "quantized-npu=ADD");
        assertEquals(0, explained.code(), explained.err());
        assertTrue(explained.out().matches("(?s).*CONV_2D +quantized-npu .*"), explained.out());
        assertTrue(explained.out().matches("(?s).*ADD +reference .*"), explained.out());
        assertEquals("", explained.err());
        Run idle = Run.of("explain", target, "--deny", "cpu=ADD", "--deny", "cpu=ADDS", "--deny", "gpu=*");
        assertEquals(0, idle.code(), idle.err());
        assertEquals(List.of("warning: rule \"deny cpu ADDS\" kept", "warning: rule \"deny gpu *\" kept"),
            idle.err().lines().map(line -> line.replaceFirst("(kept) .*", "$1")).toList());
    }

    @Test
    void devicesAndTheRuntimeTellTheirLevels() {
        Run run = Run.of("devices");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().matches("(?s).*\nreference .*\nNNAPI runtime: .*\n.*"), run.out());
    }

    @Test
    void failedJobsEndWithOneAndLeaveNothing() throws IOException {
        Path broken = folder.resolve("broken.pt");
        Files.write(broken, new byte[] {'P', 'K', 3, 4, 0, 0});
        Path target = folder.resolve("out.pt");
        Run convert = Run.of("convert", broken, "-o", target);
        assertEquals(1, convert.code());
        assertFalse(convert.err().contains("\tat "), "a stack trace: " + convert.err());
        assertFalse(Files.exists(target));
        assertTrue(convert.err().startsWith(broken + ": archive: "), convert.err());
        Run diff = Run.of("diff", DIGITS.resolve("digits-cpu.pt"), broken, "-i", "float32[1,3,32,32]");
        assertTrue(diff.err().startsWith(broken + ": archive: "), "which of the two: " + diff.err());
        assertEquals(1, Run.of("run", folder.resolve("missing.pt")).code());
        assertEquals(1, Run.of("explain", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--json", "-").code());
        assertEquals(1, Run.of("bench", "--model", DIGITS.resolve("digits-cpu.pt")).code());
        Run unknown = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--method", "backward");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("backward"), unknown.err());
        assertEquals(unknown.err(), Run.of("run", DIGITS.resolve("digits-cpu.pt"), "--method", "backward").err());
    }

    @Test
    void wrongUsageEndsWithTwo() {
        assertEquals(2, Run.of("nonsense").code());
        assertEquals(2, Run.of("convert").code());
        assertEquals(2, Run.of("run", "model.pt", "--top", "many").code());
        assertEquals(2, Run.of().code());
        assertEquals(2, Run.of("conformance").code());
    }
}
