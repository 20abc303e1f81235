package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What files consist of. */
class InspectCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void inspectsBothKinds() {
        assertTrue(Run.of("inspect", DIGITS.resolve("digits-cpu.pt")).out().contains("aten::_convolution"));
        assertTrue(Run.of("inspect", DigitsFiles.converted(folder)).out().contains("DEPTHWISE_CONV_2D"));
    }

    @Test
    void inspectShowsTheTensorsOfOptimisedModels() throws Exception {
        Path optimised = folder.resolve("optimised.pt");
        assertEquals(0, Run.of("optimize", DIGITS.resolve("digits-cpu.pt"), "-o", optimised).code());
        Run text = Run.of("inspect", optimised);
        assertTrue(text.out().matches("(?s).*CONSTANTS\\.c0 +torch\\.classes\\.xnnpack\\.Conv2dOpContext +2 +\\d{3}.*float32 +\\d+ +[1-9]\\d{5}.*"),
            text.out());
        Path json = folder.resolve("summary.json");
        assertEquals(text.out(), Run.of("inspect", optimised, "--json", json).out());
        Run standard = Run.of("inspect", optimised, "--json", "-");
        assertTrue(standard.out().startsWith("{"), standard.out());
        JsonNode told = new ObjectMapper().readTree(json.toFile());
        assertEquals(told, new ObjectMapper().readTree(standard.out()));
        assertEquals("CONSTANTS.c0", told.get("constants").get(0).get("name").asText());
        assertEquals("output: " + optimised + " is what is read (expected: another file)", Run.of("inspect", optimised, "--json", optimised).err().strip());
    }
}
