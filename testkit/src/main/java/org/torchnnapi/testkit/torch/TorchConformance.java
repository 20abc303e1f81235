package org.torchnnapi.testkit.torch;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.platform.Strings;

/**
 * Runs a suite over a folder of cases and prints each failure with what was expected and what came, and in the end
 * {@code N passed, N failed, N skipped}.
 */
public final class TorchConformance {
    private static final int MAX_DETAIL = 600;

    private final Map<String, Supplier<TorchSuite>> suites = new TreeMap<>();
    private Path conversions;
    private DeviceSpeed profile = DeviceSpeed.PHONE;
    private Set<String> pipelines = Set.of();

    /** @param options how converted models are run */
    public TorchConformance(EngineOptions options) {
        ScriptRuntime runtime = Runtimes.standard(options);
        suites.put("run", () -> new RunSuite(runtime));
        suites.put("lite", () -> new LiteSuite(runtime));
        suites.put("convert", () -> new ConvertSuite(runtime, conversions));
        suites.put("write", () -> new WriteSuite(runtime, conversions));
        suites.put("programs", () -> new ProgramSuite(runtime, conversions));
        suites.put("nnapi", () -> new NnapiSuite(runtime));
        suites.put("pipelines", () -> new PipelineSuite(options, profile, pipelines, conversions));
    }

    /**
     * Keeps what suite {@code convert} converts and what suites {@code write}, {@code programs} and {@code pipelines}
     * write, as {@code NAME.pt}, {@code NAME.ptl} and {@code NAME.pt2}, in this folder.
     */
    public TorchConformance keepConversions(Path folder) throws IOException {
        conversions = Files.createDirectories(folder);
        return this;
    }

    /** Has suite {@code pipelines} convert for devices of this cost too, beside the usual one. */
    public TorchConformance profile(DeviceSpeed cost) {
        profile = cost;
        return this;
    }

    /** Leaves of suite {@code pipelines} those of these names. */
    public TorchConformance pipelines(Collection<String> names) {
        pipelines = Set.copyOf(names);
        return this;
    }

    /**
     * @param filter only cases whose names contain this text; "" for all
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
            throw new IllegalArgumentException(
                    "cases: none in " + folder + " with \"" + filter + "\" in the name (expected: at least one)");
        }
        int[] counts = new int[Outcome.Status.values().length];
        for (TorchCase test : cases) {
            suite.outcomes(test).forEach((what, outcome) -> {
                counts[outcome.status().ordinal()]++;
                if (outcome.status() == Outcome.Status.FAILED || verbose) {
                    out.println(outcome.status() + " " + test.name() + (what.isEmpty() ? "" : " [" + what + "]")
                            + (outcome.detail().isEmpty() ? "" : ": " + Strings.oneLine(outcome.detail(), MAX_DETAIL)));
                }
            });
        }
        if (!suite.figures().isEmpty()) {
            out.println(suite.figures());
        }
        out.println(counts[0] + " passed, " + counts[1] + " failed, " + counts[2] + " skipped");
        return counts[Outcome.Status.FAILED.ordinal()];
    }
}
