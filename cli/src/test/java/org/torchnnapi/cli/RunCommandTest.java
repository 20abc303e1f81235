package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Runs of models, over the digits sample. */
class RunCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void answersDoNotDependOnTheNumberOfThreads() throws IOException {
        int before = CpuThreads.count();
        Path floats = folder.resolve("digits-float-nnapi.pt");
        assertEquals(
                0,
                Run.of("convert", DIGITS.resolve("digits-none.pt"), "-o", floats)
                        .code());
        try {
            for (Path model : new Path[] {
                DIGITS.resolve("digits-cpu.pt"), DIGITS.resolve("digits-core.pt"), floats, DigitsFiles.converted(folder)
            }) {
                byte[] alone = null;
                for (int threads = 1; threads <= 3; threads++) {
                    Run run = Run.of(
                            "run",
                            model,
                            "--random",
                            "float32[1,3,32,32]",
                            "--threads",
                            threads,
                            "-o",
                            folder.resolve("out"));
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
        assertEquals(
                1,
                Run.of("run", floats, "--random", "float32[1,3,32,32]", "--threads", "0")
                        .code());
    }

    @Test
    void answersArePictureByPictureAndJson() throws Exception {
        Run two = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[2,3,32,32]", "--top", "1");
        assertEquals(0, two.code(), two.err());
        assertTrue(two.out().matches("(?s)picture 0\nclass +score.*\npicture 1\nclass +score.*"), two.out());
        Run json = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,32,32]", "--json", "-");
        assertEquals(0, json.code(), json.err());
        assertTrue(
                json.out()
                        .matches("(?s)\\{\\s*\"dtype\" : \"float32\",\\s*\"sizes\" : \\[ 1, 10 ],\\s*\"data\" : \\[ "
                                + "(-?[0-9.E-]+, ){9}-?[0-9.E-]+ ]\\s*}\\s*"),
                json.out());
        Run alone = Run.of(
                "run",
                DIGITS.resolve("digits-cpu.pt"),
                "-i",
                "float32[1,3,32,32]",
                "--json",
                "-",
                "--top",
                "1",
                "--placement",
                "-o",
                folder.resolve("out"));
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
        assertEquals(
                "output: Tensor([1, 2, 4, 4], dtype=torch.float32) (expected: scores of classes, such as "
                        + "[1, 1000])",
                planes.err().strip());
        assertFalse(
                Run.of("run", model, "-i", "float32[1,2,4,4]").out().contains("class"), "nor are they shown unasked");
        TinyNet.write(model, "torch.mul(torch.ones_like(x), 0.333333343)");
        Run scores = Run.of("run", model, "-i", "float32[1,3]", "--top", "2");
        assertEquals(
                List.of("class     score  label", "----------------------", "    0  0.333333", "    1  0.333333"),
                scores.out().lines().map(String::stripTrailing).toList());
    }

    @Test
    void programsOfTorchExportTakeInputs() throws Exception {
        Path model = folder.resolve("net.pt2");
        TinyProgram.write(model, "{\"as_int\": 3}", Map.of("extra/note.txt", new byte[0]));
        Run run = Run.of("run", model, "-i", "float32[3,2]");
        assertEquals(0, run.code(), run.err());
        Run other = Run.of("run", model, "-i", "float32[4,2]");
        assertTrue(other.err().contains("size 4 in dimension 0 (expected: 3"), other.err());
        assertEquals(0, Run.of("explain", model, "-i", "float32[3,2]").code());
        Run quantized = Run.of("quantize", model, "--calibrate", inputFile(), "-o", folder.resolve("q.pt"));
        assertFalse(quantized.err().contains("internal error"), quantized.err());
    }

    @Test
    void theExampleOfAProgramIsItsInput() throws Exception {
        Path model = folder.resolve("net.pt2");
        String rows = "{\"as_expr\": {\"expr_str\": \"Symbol('s0', positive=True)\", \"hint\": {\"as_int\": 3}}}";
        byte[] example = TinyProgram.saved(ScriptTuple.of(
                ScriptTuple.of(Tensor.of(new float[] {1, -2, 3, -4, 5, -6}, 3, 2)), new PickledDict(null)));
        TinyProgram.write(model, rows, Map.of("data/sample_inputs/model.pt", example));
        Run run = Run.of("run", model, "--json", "-");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().replaceAll("\\s", "").contains("[1.0,0.0,3.0,0.0,5.0,0.0]"), run.out());
        Path converted = folder.resolve("net-nnapi.pt");
        Run convert = Run.of("convert", model, "--profile", "start=0,bytes=1e15");
        assertEquals(0, convert.code(), convert.err());
        assertTrue(convert.out().contains("float32[-1, 2]"), convert.out());
        assertEquals(0, Run.of("run", converted, "-i", "float32[64,2]").code());
        assertTrue(Run.of("run", converted, "-i", "float32[65,2]").err().contains("at most 64"));
        assertEquals(0, Run.of("save", model, "-o", folder.resolve("other.pt2")).code());
    }

    @Test
    void programsWithoutAnExampleRunOnNumbersOfTheirSizes() throws Exception {
        Path model = folder.resolve("net.pt2");
        TinyProgram.write(model, "{\"as_int\": 3}", Map.of("data/sample_inputs/model.pt", new byte[0]));
        Run run = Run.of("run", model);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.err().contains("random numbers of the shapes in the file, float32[3,2]"), run.err());
        Run convert = Run.of("convert", model, "--profile", "start=0,bytes=1e15");
        assertEquals(0, convert.code(), convert.err());
    }

    private Path inputFile() throws IOException {
        Path file = folder.resolve("x.npy");
        Npy.write(file, Tensor.of(new float[6], 3, 2));
        return file;
    }
}
