package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/** The files that commands write, and standard output. */
class OutputsTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void whatCannotBeWrittenIsFoundBeforeTheWork() throws IOException {
        Path model = Files.copy(DIGITS.resolve("digits-core.pt"), folder.resolve("model.pt"));
        byte[] before = Files.readAllBytes(model);
        Run itself = Run.of("convert", model, "--mode", "core", "-o", model);
        assertEquals(
                "output: " + model + " is what is read (expected: another file)",
                itself.err().strip());
        assertArrayEquals(before, Files.readAllBytes(model));
        String nowhere = folder.resolve("none").resolve("file").toString();
        for (Object[] words : new Object[][] {
            {"convert", model, "--mode", "core", "-o", nowhere},
            {"convert", model, "--mode", "core", "--json", nowhere},
            {"run", model, "-o", nowhere},
            {"profile", model, "--json", nowhere},
            {"explain", model, "--json", nowhere},
            {"bench", "--model=" + model, "--use_bundled_input=0", "--csv=" + nowhere},
            {"bench", "--model=" + model, "--use_bundled_input=0", "--json=" + nowhere}
        }) {
            Run run = Run.of(words);
            assertEquals(1, run.code());
            assertEquals("", run.out());
            assertTrue(
                    run.err().startsWith("output: " + nowhere) && run.err().contains("a folder that exists"),
                    run.err());
        }
        Run kept = Run.of("demo", "--samples", DIGITS, "--keep", model);
        assertEquals(1, kept.code());
        assertTrue(kept.err().startsWith("keep: " + model), kept.err());
    }

    @Test
    void noOutputReplacesWhatIsRead() throws Exception {
        Path model = Files.copy(DIGITS.resolve("digits-cpu.pt"), folder.resolve("me.pt"));
        byte[] before = Files.readAllBytes(model);
        Path other = folder.resolve("other.json");
        List<Run> refused = List.of(
                Run.of("convert", model, "--json", model),
                Run.of("convert", model, "-o", model),
                Run.of("explain", model, "--random", "float32[1,3,32,32]", "--json", model),
                Run.of("profile", model, "--random", "float32[1,3,32,32]", "--json", model),
                Run.of("bench", "--model=" + model, "--input_dims=1,3,32,32", "--input_type=float", "--json=" + model),
                Run.of(
                        "bench",
                        "--model=" + DIGITS.resolve("digits-cpu.pt"),
                        "--compare=" + model,
                        "--input_dims=1,3,32,32",
                        "--input_type=float",
                        "--csv=" + model));
        for (Run run : refused) {
            assertEquals(1, run.code(), run.out());
            assertTrue(
                    run.err().startsWith("output: " + model + " is what is read (expected: another file)"), run.err());
        }
        Run twice = Run.of("convert", model, "-o", other, "--json", other);
        assertEquals(1, twice.code());
        assertTrue(twice.err().startsWith("output: " + other + " is named twice"), twice.err());
        assertFalse(Files.exists(other));
        Run made = Run.of("run", model, "--random", "float32[1,3,32,32]", "-o", folder.resolve("x"));
        assertEquals(0, made.code(), made.err());
        Path numbers = folder.resolve("x0.npy");
        byte[] answer = Files.readAllBytes(numbers);
        Run own = Run.of("run", model, "-i", numbers, "-o", folder.resolve("x"));
        assertTrue(own.err().startsWith("output: " + numbers + " is what is read"), own.err());
        Path names = Files.writeString(folder.resolve("names.txt"), "zero\none\n");
        Run labelled = Run.of(
                "run", model, "--random", "float32[1,3,32,32]", "--top", "1", "--labels", names, "--json", names);
        assertTrue(labelled.err().startsWith("output: " + names + " is what is read"), labelled.err());
        assertEquals("zero\none\n", Files.readString(names));
        Path pictures = Files.createDirectory(folder.resolve("pictures"));
        Path calibration = Files.copy(numbersOfOneInput(), pictures.resolve("a.npy"));
        byte[] calibrating = Files.readAllBytes(calibration);
        for (String option : List.of("-o", "--json")) {
            Run quantized = Run.of("quantize", model, "--calibrate", pictures, option, calibration);
            assertEquals(1, quantized.code());
            assertTrue(quantized.err().startsWith("output: " + calibration + " is what is read"), quantized.err());
            assertArrayEquals(calibrating, Files.readAllBytes(calibration));
        }
        assertArrayEquals(before, Files.readAllBytes(model));
        assertArrayEquals(answer, Files.readAllBytes(numbers));
    }

    private Path numbersOfOneInput() throws IOException {
        Path file = folder.resolve("one-input.npy");
        Npy.write(file, Tensor.of(new float[3 * 32 * 32], 1, 3, 32, 32));
        return file;
    }

    /** Who reads it as JSON reads all of it. */
    @Test
    void standardOutputIsJsonAloneWhereThatIsAsked() throws Exception {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Path part = DigitsFiles.converted(folder);
        String input = "float32[1,3,32,32]";
        Object[][] calls = {
            {"inspect", model, "--html", folder.resolve("a.html")},
            {"explain", part, "--html", folder.resolve("b.html")},
            {
                "profile",
                model,
                "-i",
                input,
                "--iter",
                "1",
                "--html",
                folder.resolve("c.html"),
                "--trace",
                folder.resolve("c.json")
            },
            {
                "diff",
                DIGITS.resolve("digits-none.pt"),
                DIGITS.resolve("digits-core.pt"),
                "-i",
                input,
                "--bound",
                "200",
                "--cut",
                folder.resolve("d.pt"),
                "--html",
                folder.resolve("d.html")
            },
            {"run", part, "--top", "1", "--placement", "-o", folder.resolve("e")},
            {"convert", DIGITS.resolve("digits-core.pt"), "-o", folder.resolve("f.pt")},
            {"optimize", model, "-o", folder.resolve("g.pt")}
        };
        for (Object[] call : calls) {
            Object[] words = Arrays.copyOf(call, call.length + 2);
            words[call.length] = "--json";
            words[call.length + 1] = "-";
            Run run = Run.of(words);
            new ObjectMapper()
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readTree(run.out());
            assertTrue(
                    run.out().startsWith("{") || run.out().startsWith("["),
                    Arrays.toString(words) + run.out() + run.err());
        }
        for (String written :
                List.of("a.html", "b.html", "c.html", "c.json", "d.pt", "d.html", "e0.npy", "f.pt", "g.pt")) {
            assertTrue(Files.size(folder.resolve(written)) > 0, written);
        }
    }
}
