package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    private Path converted(String model) {
        Path file = folder.resolve("converted-" + model);
        Run convert = Run.of("convert", DIGITS.resolve(model), "-o", file);
        assertEquals(0, convert.code(), convert.err());
        return file;
    }

    /** An operation of NNAPI with the activation behind it, and what it read, is a converted file of its own. */
    private void cut(Object... arguments) {
        Path cut = folder.resolve("layer.pt");
        List<Object> words = new ArrayList<>(List.of("diff", "--cut", cut));
        words.addAll(List.of(arguments));
        Run diff = Run.of(words.toArray());
        assertEquals(1, diff.code(), diff.err());
        assertTrue(diff.out().contains("dB: CONV_2D #1 (NNAPI)"), diff.out() + diff.err());
        Run layer = Run.of("run", cut, "-i", folder.resolve("layer.pt0.npy"));
        assertTrue(layer.out().startsWith("Tensor([1, 16, 16, 16]"), layer.out() + layer.err());
        String shown = Run.of("inspect", cut).out();
        assertTrue(shown.contains("CONV_2D") && !shown.contains("FULLY_CONNECTED"), shown);
    }

    @Test
    void anOperationOfOneFileOnTwoDevicesIsCutOut() {
        cut(converted("digits-none.pt"), "--device", "cpu", "--device", "reference", "--bound", "300");
    }

    @Test
    void anOperationOnBytesIsCutOut() {
        cut(converted("digits-core.pt"), converted("digits-none.pt"), "--bound", "60");
    }
}
