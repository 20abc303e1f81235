package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/** The digits sample on folders of its own test images. */
class PictureFolderTest {
    private static final Path MODEL = DigitsFiles.FOLDER.resolve("digits-cpu.pt");
    private static final List<String> NAMES =
            List.of("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine");

    @TempDir
    private Path folder;

    private Tensor images;
    private Tensor classes;

    @BeforeEach
    void read() throws IOException {
        images = Npy.read(DigitsFiles.FOLDER.resolve("digits-test-images.npy"));
        classes = Npy.read(DigitsFiles.FOLDER.resolve("digits-test-labels.npy"));
    }

    private int classOf(int picture) {
        return (int) classes.getLong(picture);
    }

    /** A pixel v of 0 to 16 is a square of 4x4 pixels of v / 8 - 1, once the mean 0.5 is taken and divided by 0.5. */
    private void draw(int number, Path file) throws IOException {
        BufferedImage drawn = new BufferedImage(32, 32, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < 32; y++) {
            for (int x = 0; x < 32; x++) {
                long pixel = images.getLong((number * 8L + y / 4) * 8 + x / 4);
                drawn.setRGB(x, y, (int) Math.round(pixel / 16. * 255) * 0x10101);
            }
        }
        Files.createDirectories(file.getParent());
        ImageIO.write(drawn, "png", file.toFile());
    }

    private Run run(Object... more) {
        Object[] words = {
            "run", MODEL, "-i", folder, "--resize", "none", "--crop", "none", "--mean", "0.5", "--std", "0.5"
        };
        Object[] all = new Object[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return Run.of(all);
    }

    @Test
    void foldersCalledAfterClassesTellWhatIsRight() throws IOException {
        for (int i = 0; i < 10; i++) {
            draw(i, folder.resolve(String.valueOf(classOf(i))).resolve(i + ".png"));
        }
        Files.write(folder.resolve(String.valueOf(classOf(0))).resolve("cut.png"), new byte[] {(byte) 0x89, 'P', 'N'});
        Files.write(folder.resolve("notes.txt"), new byte[] {'x'});
        Run run = run();
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("accuracy: 100.00 % (10 of 10)"), run.out());
        assertTrue(run.err().contains("left out: image: ") && run.err().contains("cut.png"), run.err());

        draw(0, folder.resolve(String.valueOf((classOf(0) + 1) % 10)).resolve("wrong.png"));
        assertTrue(run("--top", 10).out().contains("accuracy: 90.91 % (10 of 11), among the first 10: 100.00 %"));
        Run json = run("--json", "-");
        assertTrue(json.out().contains("\"accuracy\" : 0.9090909090909091"), json.out());
    }

    @Test
    void namesOfFoldersAreThoseOfLabels() throws IOException {
        Path labels = folder.resolveSibling(folder.getFileName() + ".txt");
        Files.write(labels, NAMES);
        draw(1, folder.resolve(NAMES.get(classOf(1)).toUpperCase()).resolve("a.png"));
        Run run = run("--labels", labels);
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().matches("(?s).*" + NAMES.get(classOf(1)) + " +yes\n.*accuracy: 100.00 % \\(1 of 1\\)\n"),
                run.out());

        draw(1, folder.resolve("eleven").resolve("a.png"));
        Run refused = run("--labels", labels);
        assertEquals(1, refused.code());
        assertTrue(refused.err().contains("folder: eleven (expected: one of the labels, or its number"), refused.err());
    }

    @Test
    void picturesInTheFolderItselfAreOfNoClass() throws IOException {
        draw(2, folder.resolve("a.png"));
        Run run = run();
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().matches("picture +class +score +label\n-+\na.png +" + classOf(2) + " +[0-9.]+\n"), run.out());
        assertTrue(run("--placement").err().contains("expected: one picture with --output and --placement"));
    }

    @Test
    void aFolderWithoutPicturesIsRefused() {
        Run run = run();
        assertEquals(1, run.code());
        assertTrue(run.err().contains("holds no picture (expected: files that end in .png"), run.err());
    }
}
