package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.CpuThreads;

/** Runs of models, over the digits sample. */
class RunCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void answersDoNotDependOnTheNumberOfThreads() throws IOException {
        int before = CpuThreads.count();
        Path floats = folder.resolve("digits-float-nnapi.pt");
        assertEquals(0, Run.of("convert", DIGITS.resolve("digits-none.pt"), "-o", floats).code());
        try {
            for (Path model : new Path[] {DIGITS.resolve("digits-cpu.pt"), DIGITS.resolve("digits-core.pt"), floats, DigitsFiles.converted(folder)}) {
                byte[] alone = null;
                for (int threads = 1; threads <= 3; threads++) {
                    Run run = Run.of("run", model, "--random", "float32[1,3,32,32]", "--threads", threads, "-o", folder.resolve("out"));
                    assertEquals(0, run.code(), run.err());
                    assertEquals(threads, CpuThreads.count());
                    byte[] answer = Files.readAllBytes(folder.resolve("out0.npy"));
                    alone = alone == null ? answer : alone;
                    assertArrayEquals(alone, answer, model + " with " + threads + " threads");
                }
            }
        } finally {
            CpuThreads.set(before);
        }
        assertEquals(1, Run.of("run", floats, "--random", "float32[1,3,32,32]", "--threads", "0").code());
    }

    @Test
    void answersArePictureByPictureAndJson() throws Exception {
        Run two = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[2,3,32,32]", "--top", "1");
        assertEquals(0, two.code(), two.err());
        assertTrue(two.out().matches("(?s)picture 0\nclass +score.*\npicture 1\nclass +score.*"), two.out());
        Run json = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,32,32]", "--json", "-");
        assertEquals(0, json.code(), json.err());
        assertTrue(json.out().matches("(?s)\\{\\s*\"dtype\" : \"float32\",\\s*\"sizes\" : \\[ 1, 10 ],\\s*\"data\" : \\[ (-?[0-9.E-]+, ){9}-?[0-9.E-]+ ]\\s*}\\s*"), json.out());
        Run alone = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,32,32]", "--json", "-", "--top", "1", "--placement", "-o", folder.resolve("out"));
        assertEquals(json.out(), alone.out(), alone.err());
        assertTrue(Files.exists(folder.resolve("out0.npy")));
        Run wrong = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "[float32[1,3,32,32]]");
        assertEquals(1, wrong.code());
        assertTrue(wrong.err().startsWith("forward() argument "), wrong.err());
    }

    /** Scores of classes are one row a picture; planes of pixels have no best classes. */
    @Test
    void bestClassesAreOfClassifiersAlone() throws IOException {
        Path model = folder.resolve("net.pt");
        TinyNet.write(model, "torch.div(x, 3)");
        Run planes = Run.of("run", model, "-i", "float32[1,2,4,4]", "--top", "2");
        assertEquals(1, planes.code());
        assertEquals("output: Tensor([1, 2, 4, 4], dtype=torch.float32) (expected: scores of classes for --top, such as [1, 1000])", planes.err().strip());
        assertFalse(Run.of("run", model, "-i", "float32[1,2,4,4]").out().contains("class"), "nor are they shown unasked");
        TinyNet.write(model, "torch.mul(torch.ones_like(x), 0.333333343)");
        Run scores = Run.of("run", model, "-i", "float32[1,3]", "--top", "2");
        assertEquals(List.of("class     score  label", "----------------------", "    0  0.333333", "    1  0.333333"),
            scores.out().lines().map(String::stripTrailing).toList());
    }
}
