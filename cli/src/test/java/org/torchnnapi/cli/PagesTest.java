package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages and traces that commands write. */
class PagesTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void writesPagesAndTraces() throws Exception {
        Path target = DigitsFiles.converted(folder);
        Path page = folder.resolve("page.html");
        for (Object[] command : new Object[][] {
            {"explain", target, "--html", page},
            {"inspect", target, "--html", page},
            {"diff", target, "--device", "cpu", "--device", "reference", "--html", page},
            {"profile", target, "--warmup", "1", "--iter", "3", "--html", page, "--trace", folder.resolve("trace.json")}
        }) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().contains("wrote " + page), run.out());
            assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
            Files.delete(page);
        }
        JsonNode events = new ObjectMapper()
                .readTree(folder.resolve("trace.json").toFile())
                .get("traceEvents");
        requireTrace(events);
        long runs = 0;
        double end = 0;
        for (JsonNode event : events) {
            if (event.get("ph").asText().equals("X")) {
                if (event.get("name").asText().startsWith("run ")) {
                    assertTrue(event.get("ts").asDouble() >= end, "runs one behind the other");
                    end = event.get("ts").asDouble() + event.get("dur").asDouble();
                    runs++;
                }
            }
        }
        assertEquals(3, runs);
        assertEquals(1, Run.of("explain", target, "--html", target).code(), "a page in place of the model");
        Run survey = Run.of("survey", target, "--iter", "2");
        assertEquals(0, survey.code(), survey.err());
        assertTrue(survey.out().contains("| digits-nnapi.pt | quantized-npu | 23 of 23 | 1 | 0 | "), survey.out());
        assertEquals(
                1,
                Run.of("survey", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]")
                        .code());
    }

    /**
     * What the Trace Event Format says of complete and metadata events, and Perfetto asks: slices of a thread lie in
     * each other or apart.
     */
    private static void requireTrace(JsonNode events) {
        Map<String, List<double[]>> slices = new LinkedHashMap<>();
        for (JsonNode event : events) {
            String text = event.toString();
            assertTrue(
                    event.get("pid").isIntegralNumber()
                            && !event.get("name").asText().isEmpty(),
                    text);
            boolean ofProcess = event.get("name").asText().equals("process_name");
            assertTrue(ofProcess || event.get("tid").isIntegralNumber(), text);
            if (event.get("ph").asText().equals("M")) {
                assertTrue(
                        (ofProcess || event.get("name").asText().equals("thread_name"))
                                && event.get("args").get("name").isTextual(),
                        text);
                continue;
            }
            assertEquals("X", event.get("ph").asText(), text);
            double start = event.get("ts").doubleValue();
            double length = event.get("dur").doubleValue();
            assertTrue(start >= 0 && length >= 0, text);
            slices.computeIfAbsent(event.get("pid") + " " + event.get("tid"), thread -> new ArrayList<>())
                    .add(new double[] {start, start + length});
        }
        slices.forEach((thread, all) -> {
            all.sort(Comparator.<double[]>comparingDouble(slice -> slice[0]).thenComparing(slice -> -slice[1]));
            Deque<Double> open = new ArrayDeque<>();
            for (double[] slice : all) {
                // Microseconds as decimal numbers, rounded in their last bits.
                while (!open.isEmpty() && open.peek() <= slice[0] + 1e-3) {
                    open.pop();
                }
                assertTrue(
                        open.isEmpty() || slice[1] <= open.peek() + 1e-3,
                        "thread " + thread + ": slices overlap at " + slice[0]);
                open.push(slice[1]);
            }
        });
    }
}
