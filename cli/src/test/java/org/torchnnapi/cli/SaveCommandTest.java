package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files for the lite interpreter. */
class SaveCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void liteFilesAreWrittenAndRun() {
        Path lite = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", lite, "--target", "pytorch-1.10");
        assertEquals(0, save.code(), save.err());
        assertTrue(save.out().contains("for PyTorch 1.10, byte code version 7"), save.out());
        assertEquals(Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3").out(), Run.of("run", lite, "--top", "3").out());
        Path converted = folder.resolve("net-nnapi.ptl");
        Run convert = Run.of("convert", DIGITS.resolve("digits-core.pt"), "--mode", "core", "-o", converted, "--target", "pytorch-1.10");
        assertEquals(0, convert.code(), convert.err());
        assertTrue(Run.of("inspect", converted).out().contains("that of PyTorch 1.10, PyTorch 1.11, PyTorch 1.12, PyTorch 1.13; not that of PyTorch 1.8: byte code "
            + "version 7"), Run.of("inspect", converted).out());
        assertTrue(Run.of("inspect", lite).out().contains("that of PyTorch 1.10, PyTorch 1.11, PyTorch 1.12, PyTorch 1.13; not that of PyTorch 1.8: byte code "
            + "version 7 (it reads up to 5)"), Run.of("inspect", lite).out());
        assertEquals(Run.of("run", lite, "--top", "3").out(), Run.of("run", converted, "--top", "3").out());
        Path flat = folder.resolve("net-flat.ptl");
        Run saved = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer");
        assertTrue(saved.out().contains("for PyTorch 1.13, byte code version 9, a flat buffer"), saved.out() + saved.err());
        assertEquals(Run.of("run", lite, "--top", "3").out(), Run.of("run", flat, "--top", "3").out());
        assertTrue(Run.of("inspect", flat).out().contains("no published one"), Run.of("inspect", flat).out());
        Run ordinary = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat.resolveSibling("ordinary.pt"), "--flatbuffer");
        assertEquals(1, ordinary.code(), ordinary.toString());
        assertTrue(ordinary.err().contains("ordinary.pt (expected: an output that ends in .ptl)"), ordinary.err());
        assertFalse(Files.exists(flat.resolveSibling("ordinary.pt")));
        Run early = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer", "--target", "pytorch-1.10");
        assertTrue(early.err().contains("target: pytorch-1.10 as a flat buffer"), early.err());
    }

    @Test
    void unknownTargetsAreRefusedBeforeAnythingIsWritten() {
        Path target = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", target, "--target", "pytorch-3");
        assertEquals(1, save.code());
        assertTrue(save.err().contains("target: pytorch-3 (expected: one of [pytorch-1.8,"), save.err());
        assertFalse(Files.exists(target));
    }
}
