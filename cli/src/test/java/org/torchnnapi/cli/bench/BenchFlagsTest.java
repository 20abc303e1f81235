package org.torchnnapi.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchFlagsTest {
    @Test
    void takesBothSpellingsAndDefaults() {
        BenchFlags.Parsed parsed = BenchFlags.parse("--model=a.pt", "--iter", "20", "--report_pep=True", "ignored");
        assertEquals(List.of(), parsed.problems());
        assertEquals("a.pt", parsed.flags().string("model"));
        assertEquals(20, parsed.flags().integer("iter"));
        assertEquals(0, parsed.flags().integer("warmup"));
        assertEquals(-1, parsed.flags().integer("use_bundled_input"));
        assertTrue(parsed.flags().bool("report_pep"));
        assertFalse(parsed.flags().bool("print_output"));
    }

    /** As the other commands have it. */
    @Test
    void inputsMayBeGivenOneByOne() {
        BenchFlags flags = BenchFlags.parse(
                        "-i", "a.npy", "--input", "float32[1]", "--input=b.npy;c.npy", "--iter=1", "--iter=2")
                .flags();
        assertEquals("a.npy;float32[1];b.npy;c.npy", flags.string("input"));
        assertEquals(2, flags.integer("iter"), "of others the last holds");
        assertEquals(
                "a.pt;b.pt;c.pt",
                BenchFlags.parse("--compare=a.pt", "--compare", "b.pt;c.pt")
                        .flags()
                        .string("compare"));
        assertEquals(
                List.of("C10 flag: unrecognized commandline argument: -x"),
                BenchFlags.parse("-x", "3").problems());
        assertEquals("-5", BenchFlags.parse("--iter", "-5").flags().string("iter"));
    }

    @Test
    void helpIsAsWideAsItIsToBe() {
        String words = BenchFlags.help(1000).replaceAll("\\s+", " ");
        for (int width : new int[] {60, 80, 140}) {
            String help = BenchFlags.help(width);
            String flags = help.substring(help.indexOf("Arguments:"));
            flags.lines().forEach(line -> assertTrue(line.length() < width, line));
            assertTrue(flags.lines().anyMatch(line -> line.length() > width - 15), "" + width);
            assertEquals(words, help.replaceAll("\\s+", " "));
        }
    }

    @Test
    void namesTheUnknownFlag() {
        assertEquals(
                List.of("C10 flag: unrecognized commandline argument: --modle=a.pt"),
                BenchFlags.parse("--modle=a.pt", "--iter=3").problems());
    }

    @Test
    void refusesBooleansThatAreNone() {
        List<String> problems = BenchFlags.parse("--report_pep", "--iter=3").problems();
        assertEquals("C10 flag: illegal argument: --report_pep", problems.get(problems.size() - 1));
    }

    @Test
    void refusesAFlagWithoutValue() {
        assertEquals(1, BenchFlags.parse("--model").problems().size());
    }

    @Test
    void readsNumbersAsAtoiDoes() {
        assertEquals(12, BenchFlags.parse("--iter=12abc").flags().integer("iter"));
        assertEquals(0, BenchFlags.parse("--iter=abc").flags().integer("iter"));
    }
}
