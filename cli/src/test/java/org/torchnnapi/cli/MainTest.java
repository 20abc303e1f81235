package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a whole, over the digits sample. */
class MainTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void convertsRunsAndExplains() {
        Path target = DigitsFiles.converted(folder);
        Run original = Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3");
        Run nnapi = Run.of("run", target, "--top", "3");
        assertEquals(0, nnapi.code(), nnapi.err());
        assertEquals(original.out(), nnapi.out());
        Run explained = Run.of("explain", target, "--profile", "quantized-npu", "--deny", "quantized-npu=ADD");
        assertEquals(0, explained.code(), explained.err());
        assertTrue(explained.out().matches("(?s).*CONV_2D +quantized-npu .*"), explained.out());
        assertTrue(explained.out().matches("(?s).*ADD +reference .*"), explained.out());
        assertEquals("", explained.err());
        Run idle = Run.of("explain", target, "--deny", "cpu=ADD", "--deny", "cpu=ADDS", "--deny", "gpu=*");
        assertEquals(0, idle.code(), idle.err());
        assertEquals(
                List.of("warning: rule \"deny cpu ADDS\" kept", "warning: rule \"deny gpu *\" kept"),
                idle.err()
                        .lines()
                        .map(line -> line.replaceFirst("(kept) .*", "$1"))
                        .toList());
    }

    @Test
    void devicesAndTheRuntimeTellTheirLevels() {
        Run run = Run.of("devices");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().matches("(?s).*\nreference .*\nNNAPI runtime: .*\n.*"), run.out());
        assertTrue(
                run.out()
                        .matches("(?s).*\nprocessor: \\d+ cores?.* \\(caches of .* and .*\\), third cache of .*"
                                + "\nvectors: \\d+ floats?, \\d+ registers\n.*"),
                run.out());
        assertTrue(
                run.out()
                        .contains("\ncpu and reference are this library's own, and compute on this machine's "
                                + "processors\n"),
                run.out());
    }

    /**
     * One name for one thing: a short option stands for the same long one everywhere, and what is called alike takes
     * the same.
     */
    @Test
    void optionsHaveOneNameInEveryCommand() {
        Map<String, String> longOf = new HashMap<>();
        Set<String> names = new HashSet<>();
        List<CommandLine> commands =
                new ArrayList<>(Main.commandLine().getSubcommands().values());
        commands.addAll(Main.commandLine()
                .getSubcommands()
                .get("conformance")
                .getSubcommands()
                .values());
        for (CommandLine command : commands) {
            for (CommandLine.Model.OptionSpec option : command.getCommandSpec().options()) {
                names.addAll(List.of(option.names()));
                String shortest = option.shortestName();
                if (shortest.length() == 2) {
                    String known = longOf.putIfAbsent(shortest, option.longestName());
                    assertEquals(
                            known == null ? option.longestName() : known,
                            option.longestName(),
                            () -> shortest + " of " + command.getCommandName());
                }
                assertTrue(
                        option.names().length == 1 || shortest.length() == 2,
                        () -> "two names: " + List.of(option.names()) + " of " + command.getCommandName());
            }
        }
        assertEquals(
                Map.of("-i", "--input", "-o", "--output", "-v", "--verbose", "-h", "--help", "-V", "--version"),
                longOf);
        assertTrue(names.containsAll(List.of("--preference", "--device", "--json")), names.toString());
        for (String other : List.of("--prefer", "--device-preference", "--devices", "--inputs", "--out", "--format")) {
            assertFalse(names.contains(other), other);
        }
    }

    @Test
    void failedJobsEndWithOneAndLeaveNothing() throws IOException {
        Path broken = folder.resolve("broken.pt");
        Files.write(broken, new byte[] {'P', 'K', 3, 4, 0, 0});
        Path target = folder.resolve("out.pt");
        Run convert = Run.of("convert", broken, "-o", target);
        assertEquals(1, convert.code());
        assertFalse(convert.err().contains("\tat "), "a stack trace: " + convert.err());
        assertFalse(Files.exists(target));
        assertTrue(convert.err().startsWith(broken + ": archive: "), convert.err());
        Run diff = Run.of("diff", DIGITS.resolve("digits-cpu.pt"), broken, "-i", "float32[1,3,32,32]");
        assertTrue(diff.err().startsWith(broken + ": archive: "), "which of the two: " + diff.err());
        assertEquals(1, Run.of("run", folder.resolve("missing.pt")).code());
        assertEquals(
                1,
                Run.of("explain", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--android", "28")
                        .code());
        assertEquals(
                1, Run.of("bench", "--model", DIGITS.resolve("digits-cpu.pt")).code());
        Run unknown = Run.of(
                "run", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--method", "backward");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("backward"), unknown.err());
        assertEquals(
                unknown.err(),
                Run.of("run", DIGITS.resolve("digits-cpu.pt"), "--method", "backward")
                        .err());
    }

    @Test
    void wrongUsageEndsWithTwo() {
        assertEquals(2, Run.of("nonsense").code());
        assertEquals(2, Run.of("convert").code());
        assertEquals(2, Run.of("run", "model.pt", "--top", "many").code());
        assertEquals(2, Run.of().code());
        assertEquals(2, Run.of("conformance").code());
    }

    @Test
    void wrongUsageIsOneLineAndWhereToReadOn() {
        assertWrongUsage(
                "quantize",
                "--observer: widest (expected: one of minmax, histogram, percentile)",
                "net.pt",
                "--observer",
                "widest");
        assertWrongUsage("quantize", "--budget: much (expected: a number)", "net.pt", "--budget", "much");
        assertWrongUsage("run", "--top: many (expected: a whole number)", "net.pt", "--top", "many");
        assertWrongUsage("convert", "Missing required parameter: 'MODEL'");
        assertTrue(
                Run.of("convert", "net.pt", "--modes", "core").err().startsWith("Unknown option"),
                "suggestions of like options stay");
    }

    private static void assertWrongUsage(String command, String told, Object... words) {
        Object[] all = new Object[words.length + 1];
        all[0] = command;
        System.arraycopy(words, 0, all, 1, words.length);
        Run run = Run.of(all);
        assertEquals(2, run.code());
        assertEquals(
                List.of(told, "see torch-nnapi " + command + " --help"),
                run.err().lines().toList());
    }

    @Test
    void helpHasParts() {
        String all = Run.of("--help").out();
        assertTrue(all.contains("  Make:\n    export "), all);
        String run = Run.of("run", "--help").out();
        assertTrue(run.startsWith("Usage: torch-nnapi run [OPTIONS] MODEL\n"), run);
        int own = run.indexOf("--top");
        assertTrue(own > 0 && own < run.indexOf("\nInputs:") && run.indexOf("\nInputs:") < run.indexOf("--input"), run);
        assertTrue(run.indexOf("How pictures become inputs:") < run.indexOf("--letterbox"), run);
    }

    @Test
    void shellsCompleteAllCommandsAndOptions() {
        Run completion = Run.of("generate-completion");
        assertEquals(0, completion.code(), completion.err());
        assertTrue(completion.out().contains("--calibrate") && completion.out().contains("--letterbox"));
    }

    @Test
    void examplesOfHelpAreLinesToCopy() {
        CommandLine main = Main.commandLine();
        List<CommandLine> commands = new ArrayList<>(main.getSubcommands().values());
        commands.add(main);
        commands.addAll(
                main.getSubcommands().get("conformance").getSubcommands().values());
        for (CommandLine command : commands) {
            assertTrue(
                    command.getCommandSpec().usageMessage().autoWidth(),
                    () -> "help is as wide as the terminal, but not of " + command.getCommandName());
            for (String line : command.getCommandSpec().usageMessage().footer()) {
                // A longer line that starts with spaces would be broken in a terminal of 80 columns.
                assertTrue(!line.startsWith("  ") || line.length() <= 80, line);
            }
        }
    }
}
