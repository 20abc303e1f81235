package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Progress progress(boolean visible) {
        return new Progress(new PrintStream(bytes, true, StandardCharsets.UTF_8), visible);
    }

    private static int sleep() {
        try {
            Thread.sleep(300);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 7;
    }

    @Test
    void workShowsItsNameAndTheLineGoes() {
        try (Progress progress = progress(true)) {
            assertEquals(7, progress.during("working", ProgressTest::sleep));
            assertThrows(
                    IllegalStateException.class,
                    () -> progress.during("failing", () -> {
                        sleep();
                        throw new IllegalStateException();
                    }));
        }
        String shown = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(shown.contains("working") && shown.contains("failing"), shown);
        assertTrue(shown.endsWith("\r" + " ".repeat(7) + "\r"), shown);
    }

    @Test
    void nobodyWatchesNothingIsShown() {
        try (Progress progress = progress(false)) {
            progress.during("working", ProgressTest::sleep);
            progress.update("steps", 1, 2);
        }
        assertEquals("", bytes.toString(StandardCharsets.UTF_8));
    }
}
