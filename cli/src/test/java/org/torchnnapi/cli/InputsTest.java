package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.cli.io.RandomTensors;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.testkit.torch.Npy;

/** What commands take for inputs, and what they say of other values. */
class InputsTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void shapesThatStandInTheFileAreEnough() throws IOException {
        Path full = folder.resolve("full-nnapi.pt");
        assertEquals(
                0,
                Run.of("convert", DIGITS.resolve("digits-cpu.pt"), "--input", "float32[1,3,32,32]", "-o", full)
                        .code());
        Run explained = Run.of("explain", full);
        assertEquals(0, explained.code(), explained.err());
        assertTrue(explained.out().matches("(?s).*CONV_2D +cpu .*"), explained.out());
        Path float32 = DIGITS.resolve("digits-cpu.pt");
        for (Object[] command : new Object[][] {
            {"explain", full},
            {"profile", full, "--iter", "1"},
            {"run", full},
            {"record", full, "-o", folder.resolve("run.pt")},
            {"diff", full, "--device", "cpu", "--device", "reference"},
            {"diff", float32, full},
            {"survey", full, "--iter", "1"},
            {"bench", "--model=" + full, "--iter=1"},
            {"bench", "--model=" + float32, "--compare=" + full, "--iter=1"}
        }) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), () -> List.of(command) + run.err());
            if (!command[0].equals("bench")) {
                assertEquals(
                        "inputs: none given, so random numbers of the shapes in the file, float32[1,3,32,32]:nhwc",
                        run.err().lines().findFirst().orElse(""),
                        () -> List.of(command).toString());
            }
        }
        assertEquals(
                Run.of("run", full).out(),
                Run.of("run", full, "--input", "float32[1,3,32,32]:nhwc").out(),
                "the numbers of that description");
        Path images = folder.resolve("images.npy");
        Npy.write(images, RandomTensors.like(InputSpec.of(DType.FLOAT32, 2, 3, 32, 32), new Random(1)));
        Path bytes = folder.resolve("bytes.pt");
        assertEquals(
                0,
                Run.of("quantize", float32, "--calibrate", images, "--mode", "full", "-o", bytes)
                        .code());
        Run ofBytes = Run.of("run", folder.resolve("bytes-nnapi.pt"));
        assertTrue(
                ofBytes.err()
                        .matches("inputs: none given, so random numbers of the shapes in the file, "
                                + "quint8\\[1,3,32,32]@0\\.[0-9]+,[0-9]+(:nhwc)?\\s+"),
                ofBytes.err());
        Path without = DIGITS.resolve("digits-cpu.pt");
        assertEquals(
                "inputs: none, and none are bundled in " + without
                        + " (expected: --input VALUE, such as x.npy, cat.jpg or float32[1,3,224,224])",
                Run.of("explain", without).err().strip());
        assertTrue(Run.of("bench", "--model=" + without).err().contains("Input dims must be specified."));
    }

    @Test
    void numbersOutOfRangeAreNamedWithTheirRange() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String size : new String[] {"0x0", "0", "-4x4", "99999999x4", "axb"}) {
            assertEquals(
                    "image size: " + size + " (expected: height and width from 1 to 9999, such as 224x224)",
                    Run.of("run", model, "--input", folder.resolve("cat.png"), "--image-size=" + size)
                            .err()
                            .strip());
        }
        String random = "float32[1,3,32,32]";
        assertEquals(
                "top: 0 (expected: >= 1)",
                Run.of("run", model, "--random", random, "--top", "0").err().strip());
        assertEquals(
                "top: -1 (expected: >= 1)",
                Run.of("profile", model, "--random", random, "--top", "-1")
                        .err()
                        .strip());
        assertEquals(
                "threads: 100000 (expected: 1 to 1024)",
                Run.of("run", model, "--random", random, "--threads", "100000")
                        .err()
                        .strip());
        Run huge = Run.of("run", model, "--random", "float32[99999999,99999999,9999999,99999]");
        assertEquals(1, huge.code());
        assertTrue(huge.err().contains("(expected: at most"), huge.err());
        assertEquals(
                "compare_threads: 0 (expected: numbers >= 1, such as 1,2)",
                Run.of(
                                "bench",
                                "--model=" + model,
                                "--input_dims=1,3,32,32",
                                "--input_type=float",
                                "--compare_threads=0,1")
                        .err()
                        .strip());
        Run folderForModel = Run.of("run", folder, "--random", random);
        assertEquals(
                folder + ": is a folder (expected: a file written by torch.jit.save)",
                folderForModel.err().strip());
        assertEquals(0, Run.of("--version").code());
    }

    /** Some other size would stand for it, and nobody would know. */
    @Test
    void sizesLeftOpenAreNoSizesOfARun() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String open : new String[] {"float32[0, 3, 32, 32]", "float32[-1, 3, 32, 32]"}) {
            for (String command : new String[] {"run", "profile"}) {
                Run run = Run.of(command, model, "-i", open);
                assertEquals(1, run.code(), command);
                assertTrue(
                        run.err().startsWith("input: " + open + " leaves a size open (expected: every size, 1 or more"),
                        run.err());
            }
        }
    }

    @Test
    void sizesThatNoTensorHasAreToldWhenConverting() {
        Run run = Run.of(
                "convert",
                DIGITS.resolve("digits-cpu.pt"),
                "-i",
                "float32[1,3,30000,30000]",
                "-o",
                folder.resolve("large.pt"));
        assertEquals(1, run.code());
        assertEquals(
                "shape: [1, 3, 30000, 30000] (expected: at most 2147483647 elements)",
                run.err().strip());
        assertFalse(Files.exists(folder.resolve("large.pt")));
    }

    @Test
    void whatIsNoFileOfTheKindIsNamed() throws IOException {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Path noText = Files.write(folder.resolve("labels.txt"), new byte[] {(byte) 0xff, (byte) 0xfe});
        Path taken = Files.writeString(folder.resolve("taken"), "");
        String input = "float32[1,3,32,32]";
        for (Object[][] call : new Object[][][] {
            {
                {"file: " + noText + " is no text (expected: a file in UTF-8)"},
                {"run", model, "-i", input, "--top", "1", "--labels", noText}
            },
            {
                {"file: " + folder + " is a folder (expected: a file of text)"},
                {"run", model, "-i", input, "--top", "1", "--labels", folder}
            },
            {{"file: " + noText + " is no text (expected: a file in UTF-8)"}, {"operators", "--missing", noText}},
            {
                {"image: " + folder + " is a folder (expected: a .npy, PNG, JPEG, GIF or BMP file)"},
                {"run", model, "-i", folder, "-i", input}
            },
            {{"output: @" + folder}, {"convert", "@" + noText}}
        }) {
            Run run = Run.of(call[1]);
            assertEquals(1, run.code(), run.out());
            assertTrue(
                    run.err().contains(call[0][0].toString())
                            && run.err().lines().count() == 1,
                    run.err());
        }
        Run many = Run.of(
                "convert",
                model,
                "-i",
                input,
                "-i",
                input,
                "--no-self-check",
                "--json",
                "-",
                "-o",
                folder.resolve("two.pt"));
        assertEquals(1, many.code());
        assertTrue(
                many.out().contains("no more inputs than the method takes")
                        && many.out().contains("at most 1, forward("),
                many.out());
        Run built = Run.of("clib", taken);
        assertEquals(1, built.code());
        assertTrue(
                built.err().lines().count() == 1
                        && !built.err().startsWith("/")
                        && !built.err().contains("\tat "),
                built.err());
        Path page = folder.resolve("page.html");
        assertEquals(
                1,
                Run.of("explain", model, "-i", input, "--json", "-", "--html", page, "--android", "28")
                        .code());
        assertFalse(Files.exists(page), "what is told as failed has written nothing");
    }
}
