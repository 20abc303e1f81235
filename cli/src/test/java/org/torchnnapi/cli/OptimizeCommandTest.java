package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Optimised files of the digits sample. */
class OptimizeCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void optimizedModelsAnswerAsBefore() {
        for (String name : new String[] {"digits.pt", "digits.ptl"}) {
            Path target = folder.resolve(name);
            Run optimize = Run.of("optimize", DIGITS.resolve("digits-none.pt"), "-o", target);
            assertEquals(0, optimize.code(), optimize.err());
            assertTrue(
                    optimize.out().matches("(?s).*\\d+ convolutions packed.*note: answers as the original does.*"),
                    optimize.out());
            assertEquals(0, Run.of("run", target, "--top", "3").code());
        }
    }
}
