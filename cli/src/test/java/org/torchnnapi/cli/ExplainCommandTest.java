package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explanations of the digits sample. */
class ExplainCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void explainTellsOfProgramsOnTheCpu() {
        Run unconverted = Run.of("explain", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]");
        assertEquals(0, unconverted.code(), unconverted.err());
        assertTrue(
                unconverted.out().matches("(?s).*forward: 0 operators called, others in programs:.*convolution.*"),
                unconverted.out());
    }

    @Test
    void modelsWithoutNnapiPartsAreExplainedAsJsonAndTakenByNoRelease() throws IOException {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Run json = Run.of("explain", model, "--random", "float32[1,3,32,32]", "--json", "-");
        assertEquals(0, json.code(), json.err());
        JsonNode answer = new ObjectMapper().readTree(json.out());
        assertEquals(0, answer.get("models").size());
        assertTrue(
                answer.get("programs").toString().contains("\"forward: 0 operators called, others in programs:\""),
                json.out());
        Run release = Run.of("explain", model, "--random", "float32[1,3,32,32]", "--android", 28);
        assertEquals(1, release.code());
        assertEquals(
                "model: " + model + " has no NNAPI part (expected: a converted file; see the convert command)\n",
                release.err());
    }

    @Test
    void profilesThatAreNoneNameTheFile() throws IOException {
        Path model = DIGITS.resolve("digits-core.pt");
        Path noise = Files.write(folder.resolve("noise.profile"), new byte[] {'x', 27, '[', '2', 'J', (byte) 200, 'x'});
        Path converted = folder.resolve("converted.pt");
        assertEquals(0, Run.of("convert", model, "-o", converted).code());
        Run damaged = Run.of("explain", converted, "--profile", noise);
        assertEquals(1, damaged.code());
        assertTrue(
                damaged.err()
                        .startsWith(
                                noise + ": device profile, line 1: x?[2J?x: as first statement (expected: name NAME)"),
                damaged.err());
        for (String none : List.of(folder.toString(), "", "phone")) {
            Run unknown = Run.of("explain", converted, "--profile", none);
            assertEquals(1, unknown.code());
            assertTrue(
                    unknown.err()
                            .startsWith("profile: \"" + none
                                    + "\" is no built-in one and no file (expected: one of [nnapi-1.0"),
                    unknown.err());
        }
    }
}
