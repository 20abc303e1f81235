package org.torchnnapi.testkit.torch;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Runs a suite over a folder of cases and prints each failure with what was expected and what came, and in the end
 * {@code N passed, N failed, N skipped}.
 */
public final class TorchConformance {
    private static final int MAX_DETAIL = 600;

    private final Map<String, Supplier<TorchSuite>> suites = new TreeMap<>();
    private Path conversions;

    /** @param options how converted models are run */
    public TorchConformance(EngineOptions options) {
        ScriptRuntime runtime = Runtimes.standard(options);
        suites.put("run", () -> new RunSuite(runtime));
        suites.put("lite", () -> new LiteSuite(runtime));
        suites.put("convert", () -> new ConvertSuite(runtime, conversions));
        suites.put("write", () -> new WriteSuite(runtime, conversions));
        suites.put("nnapi", () -> new NnapiSuite(runtime));
    }

    /** Keeps what suite {@code convert} converts and what suite {@code write} writes, as {@code NAME.pt} and {@code NAME.ptl}, in this folder. */
    public TorchConformance keepConversions(Path folder) throws IOException {
        conversions = Files.createDirectories(folder);
        return this;
    }

    /**
     * @param filter  only cases whose names contain this text; "" for all
     * @param verbose also print skipped cases with their reasons, and passed ones
     * @return the number of failed cases
     * @throws IllegalArgumentException if there is no such suite or folder, or no case matches
     */
    public int run(Path folder, String suiteName, String filter, boolean verbose, PrintStream out) throws IOException {
        if (!suites.containsKey(suiteName)) {
            throw new IllegalArgumentException("suite: " + suiteName + " (expected: one of " + suites.keySet() + ")");
        }
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException("folder: " + folder + " (expected: a folder of cases)");
        }
        TorchSuite suite = suites.get(suiteName).get();
        List<TorchCase> cases = TorchCase.all(folder, filter);
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("cases: none in " + folder + " with \"" + filter + "\" in the name (expected: at least one)");
        }
        int[] counts = new int[Outcome.Status.values().length];
        for (TorchCase test : cases) {
            Outcome outcome = judge(suite, test);
            counts[outcome.status().ordinal()]++;
            if (outcome.status() == Outcome.Status.FAILED || verbose) {
                out.println(outcome.status() + " " + test.name() + (outcome.detail().isEmpty() ? "" : ": " + shorten(outcome.detail())));
            }
        }
        out.println(counts[0] + " passed, " + counts[1] + " failed, " + counts[2] + " skipped");
        return counts[Outcome.Status.FAILED.ordinal()];
    }

    private static Outcome judge(TorchSuite suite, TorchCase test) {
        try {
            return suite.run(test);
        } catch (ScriptException | IllegalArgumentException e) {
            return Outcome.failed(e.getMessage());
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            StackTraceElement[] trace = e.getStackTrace();
            return Outcome.failed(e + (trace.length == 0 ? "" : " at " + trace[0]));
        }
    }

    private static String shorten(String text) {
        String line = text.strip().replace("\n", " | ");
        return line.length() <= MAX_DETAIL ? line : line.substring(0, MAX_DETAIL) + "..";
    }
}
