package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    private static final String UTF_8 = "UTF-8";

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(message);
            }
        };
    }

    private static String errors(Runnable work) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anAnswerThatIsLostIsAFailure() {
        String told = errors(() -> {
            StandardOutput output = new StandardOutput(failing("No space left on device"), UTF_8);
            output.stream().print("an answer");
            assertEquals(1, output.ended(0));
            assertEquals(2, output.ended(2));
        });
        assertEquals(
                "standard output: cannot be written: No space left on device (expected: room for the answer)",
                told.lines().findFirst().orElse(""));
    }

    @Test
    void aReaderWhoHasEnoughIsToldNothing() {
        assertEquals("", errors(() -> {
            StandardOutput output = new StandardOutput(failing("Broken pipe"), UTF_8);
            output.stream().println("an answer");
            assertEquals(1, output.ended(0));
        }));
    }

    @Test
    void whatIsWrittenArrives() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StandardOutput output = new StandardOutput(bytes, UTF_8);
        output.stream().print("Größe");
        assertEquals(0, output.ended(0));
        assertEquals("Größe", bytes.toString(StandardCharsets.UTF_8));
    }
}
