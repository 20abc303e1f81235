package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.tensor.Tensor;
import picocli.CommandLine;

class ImageOptionsTest {
    private static final String CONFIG = "{\"size\": {\"height\": 8, \"width\": 6}, \"do_normalize\": false}";

    @TempDir
    private Path folder;

    private Path picture;

    @BeforeEach
    void writePicture() throws IOException {
        picture = folder.resolve("red.png");
        BufferedImage image = new BufferedImage(40, 20, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 800; i++) {
            image.setRGB(i % 40, i / 40, 0xFF3300);
        }
        ImageIO.write(image, "png", picture.toFile());
    }

    private Tensor load(Map<String, ByteBuffer> extra, String... arguments) throws IOException {
        ImageOptions options = new ImageOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("images", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(arguments);
        return options.images(extra).load(picture);
    }

    private Tensor load(String... arguments) throws IOException {
        return load(Map.of(), arguments);
    }

    private static float[] first(Tensor tensor) {
        long plane = tensor.numel() / 3;
        float[] data = new float[3];
        for (int c = 0; c < 3; c++) {
            data[c] = (float) tensor.getDouble(c * plane);
        }
        return data;
    }

    @Test
    void presetWhereNothingIsSaid() throws IOException {
        Tensor tensor = load();
        assertArrayEquals(new int[] {1, 3, 224, 224}, tensor.sizes());
        assertArrayEquals(
                new float[] {(1 - 0.485f) / 0.229f, (0.2f - 0.456f) / 0.224f, -0.406f / 0.225f}, first(tensor), 1e-6f);
        assertArrayEquals(
                new int[] {1, 3, 10, 12}, load("--image-size", "10x12").sizes());
        assertArrayEquals(new int[] {1, 3, 32, 32}, load("--crop", "32").sizes());
    }

    @Test
    void whereAModelFailsOnPicturesTheSizeThatNobodySaidIsTold() throws IOException {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, "torch.mm(x, x)");
        String told = "pictures: cut to 224x224, as nothing says their size (expected: the model's, by --image-size HxW"
                + " or --resize HxW)";
        Run run = Run.of("run", net, "-i", picture);
        assertEquals(1, run.code());
        assertEquals(told, run.err().lines().skip(1).findFirst().orElse(""), run.err());
        Run quantize = Run.of("quantize", net, "--calibrate", picture, "-o", folder.resolve("made.pt"));
        assertTrue(quantize.err().contains(told), quantize.err());
        for (String[] words : new String[][] {
            {"-i", picture.toString(), "--resize", "32x32"},
            {"-i", picture.toString(), "--image-size", "32x32"},
            {"-i", "float32[1,3,4,4]"}
        }) {
            Run other = Run.of(
                    "run",
                    net,
                    words[0],
                    words[1],
                    words.length > 2 ? words[2] : "--seed",
                    words.length > 2 ? words[3] : "1");
            assertEquals(1, other.code());
            assertEquals(1, other.err().lines().count(), other.err());
        }
    }

    @Test
    void theSizeThatNobodySaidIsToldWithAnswersToo() throws IOException {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, "x.mean((2, 3))");
        Run run = Run.of("run", net, "-i", picture);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.err().startsWith("pictures: cut to 224x224, as nothing says their size"), run.err());
        assertEquals("", Run.of("run", net, "-i", picture, "--crop", "8").err());
    }

    @Test
    void sizesAsTheyAreSaid() throws IOException {
        assertArrayEquals(new int[] {1, 3, 10, 20}, load("--resize", "10").sizes());
        assertArrayEquals(new int[] {1, 3, 10, 7}, load("--resize", "10x7").sizes());
        assertArrayEquals(new int[] {1, 3, 20, 40}, load("--resize", "none").sizes());
        assertArrayEquals(
                new int[] {1, 3, 5, 6}, load("--resize", "10", "--crop", "5x6").sizes());
        assertArrayEquals(
                new int[] {30, 30, 3},
                load("--letterbox", "30", "--layout", "hwc").sizes());
    }

    /** What a detector wants: framed, in 0 to 1. */
    @Test
    void valuesAsTheyAreSaid() throws IOException {
        Tensor framed = load("--letterbox", "30x30,51", "--scale", "1/255");
        assertArrayEquals(new float[] {0.2f, 0.2f, 0.2f}, first(framed), 1e-6f);
        assertArrayEquals(new float[] {255, 51, 0}, first(load("--scale", "1")), 0);
        assertArrayEquals(new float[] {0, 51, 255}, first(load("--scale", "1", "--bgr")), 0);
        assertArrayEquals(new float[] {1, -0.6f, -1}, first(load("--mean", "0.5", "--std", "0.5,0.5,0.5")), 1e-6f);
    }

    @Test
    void fileOfAProcessorSays() throws IOException {
        Path file = Files.writeString(folder.resolve("preprocessor_config.json"), CONFIG);
        assertArrayEquals(
                new int[] {1, 3, 8, 6}, load("--preprocessor", file.toString()).sizes());
        assertArrayEquals(
                new int[] {1, 8, 6, 3},
                load("--preprocessor", file.toString(), "--layout", "nhwc").sizes());
        assertTrue(
                assertThrows(CommandFailure.class, () -> load("--preprocessor", file.toString(), "--image-size", "32"))
                        .getMessage()
                        .startsWith("image size: beside --preprocessor"));
        Files.writeString(file, "[1]");
        assertEquals(
                "preprocessor: " + file + " (expected: an object in JSON)",
                assertThrows(CommandFailure.class, () -> load("--preprocessor", file.toString()))
                        .getMessage());
    }

    @Test
    void extraFileOfTheModelSays() throws IOException {
        Map<String, ByteBuffer> extra =
                Map.of("preprocessor_config.json", ByteBuffer.wrap(CONFIG.getBytes(StandardCharsets.UTF_8)));
        assertArrayEquals(new int[] {1, 3, 8, 6}, load(extra).sizes());
        assertArrayEquals(
                new int[] {1, 3, 32, 32}, load(extra, "--image-size", "32").sizes());
    }

    @Test
    void wrongWordsAreNamed() {
        assertEquals(
                "interpolation: cubic (expected: one of [nearest, lanczos, bilinear, bicubic, box, hamming])",
                assertThrows(CommandFailure.class, () -> load("--interpolation", "cubic"))
                        .getMessage());
        assertEquals(
                "std: [0.0, 1.0, 1.0] (expected: numbers other than 0)",
                assertThrows(CommandFailure.class, () -> load("--std", "0,1,1")).getMessage());
        assertEquals(
                "scale: x (expected: a number, or two such as 1/255)",
                assertThrows(CommandFailure.class, () -> load("--scale", "x")).getMessage());
        assertEquals(
                "crop: 0x4 (expected: height and width from 1 to 9999, such as 224x224)",
                assertThrows(CommandFailure.class, () -> load("--crop", "0x4")).getMessage());
    }

    @Test
    void pictureThatEndsTooEarlyIsNoInput() throws IOException {
        Path jpeg = folder.resolve("cut.jpg");
        ImageIO.write(ImageIO.read(picture.toFile()), "jpg", jpeg.toFile());
        byte[] whole = Files.readAllBytes(jpeg);
        Files.write(jpeg, Arrays.copyOf(whole, whole.length - 20));
        picture = jpeg;
        String said = assertThrows(CommandFailure.class, this::load).getMessage();
        assertTrue(said.startsWith("image: " + jpeg + " cannot be read: damaged: "), said);
    }

    /** Said once, to the command that writes the file. */
    @Test
    void writtenFilesKeepWhatWasSaid() throws IOException {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, "torch.relu(x)");
        String[] said = {"--resize", "8x6", "--scale", "1", "--mean", "7", "--layout", "chw"};
        Path converted = folder.resolve("converted.pt");
        Path lite = folder.resolve("converted.ptl");
        for (Path to : new Path[] {converted, lite}) {
            Run convert = Run.of(words(said, "convert", net, "-i", picture, "-o", to));
            assertEquals(0, convert.code(), convert.err());
        }
        String expected = Run.of(words(said, "run", net, "-i", picture)).out();
        assertTrue(expected.contains("248"), expected);
        assertEquals(expected, Run.of("run", converted, "-i", picture).out());
        assertEquals(expected, Run.of("run", lite, "-i", picture).out());
        // Where nothing is said the file says nothing.
        Path plain = folder.resolve("plain.pt");
        assertEquals(
                0, Run.of("convert", net, "-i", "float32[3,8,6]", "-o", plain).code());
        assertFalse(Run.of("inspect", plain).out().contains("preprocessor_config.json"));
        assertTrue(Run.of("inspect", converted).out().contains("preprocessor_config.json"));
    }

    private static Object[] words(String[] last, Object... first) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(last)).toArray();
    }
}
