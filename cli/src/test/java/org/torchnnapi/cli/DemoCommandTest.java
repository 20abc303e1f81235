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

/** The demonstration on samples of one's own. */
class DemoCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void aDemoThatFailsLeavesNoFolder() throws IOException {
        Path samples = Files.createDirectory(folder.resolve("samples"));
        for (String file : List.of("digits-test-images.npy", "digits-test-labels.npy")) {
            Files.copy(DIGITS.resolve(file), samples.resolve(file));
        }
        Path kept = folder.resolve("kept");
        assertEquals(1, Run.of("demo", "--samples", samples, "--keep", kept).code());
        assertFalse(Files.exists(kept));
        Files.createDirectory(kept);
        assertEquals(1, Run.of("demo", "--samples", samples, "--keep", kept).code());
        assertTrue(Files.exists(kept), "it was there before");
    }
}
