package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;

/** The sample that commands are tried on. */
final class DigitsFiles {
    static final Path FOLDER = Path.of("..", "samples", "digits");

    private DigitsFiles() {}

    /** Converts the quantized model whose borders are real numbers. */
    static Path converted(Path folder) {
        Path target = folder.resolve("digits-nnapi.pt");
        Run convert = Run.of("convert", FOLDER.resolve("digits-core.pt"), "--mode", "core", "-o", target);
        assertEquals(0, convert.code(), convert.err());
        return target;
    }
}
