package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportCommandTest {
    private static final Path MODEL = DigitsFiles.FOLDER.resolve("digits-cpu.pt");
    private static final String INPUT = "float32[1,3,32,32]";

    @TempDir
    private Path folder;

    @Test
    void everyFormIsMadeOfTheQuantizedModel() throws IOException {
        Path calibration = folder.resolve("inputs.npy");
        assertEquals(
                0,
                Run.of("run", MODEL, "-i", INPUT, "-o", folder.resolve("scores"))
                        .code());
        Files.copy(DigitsFiles.FOLDER.resolve("digits-test-images.npy"), calibration);
        Run refused = Run.of("export", MODEL, "-i", INPUT, "-o", folder, "--int8", calibration);
        assertEquals(1, refused.code(), "inputs of another shape");
        assertFalse(Files.exists(folder.resolve("digits-cpu-int8-nnapi.pt")));

        Run run = Run.of(
                "export",
                DigitsFiles.FOLDER.resolve("digits-cpu.pt"),
                "-i",
                INPUT,
                "-o",
                folder,
                "--to",
                "nnapi,tflite,ptl,pt2");
        assertEquals(0, run.code(), run.err());
        for (String name :
                new String[] {"digits-cpu-nnapi.pt", "digits-cpu.tflite", "digits-cpu.ptl", "digits-cpu.pt2"}) {
            assertTrue(Files.size(folder.resolve(name)) > 10_000, name);
            assertTrue(run.out().contains("== " + name), run.out());
        }
    }

    @Test
    void whatAStepRefusesIsNotWritten() {
        Run run = Run.of("export", MODEL, "-o", folder, "--to", "nnapi,ptl");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("inputs: not described"), run.err());
        assertFalse(Files.exists(folder.resolve("digits-cpu-nnapi.pt")));
        assertTrue(Files.exists(folder.resolve("digits-cpu.ptl")), "the others are");
        assertEquals(2, Run.of("export", MODEL, "--to", "onnx").code());
    }
}
