package org.torchnnapi.testkit.nnapi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/** Runs conformance case files on one device and prints each failure. Not thread-safe. */
public final class ConformanceRunner {
    /** Long enough for a loop to start, short enough for a test. */
    private static final Duration INFINITE_LOOP_TIMEOUT = Duration.ofMillis(1);

    /** How a run ended. */
    public record Summary(int passed, int failed, int skipped) {
        @Override
        public String toString() {
            return passed + " passed, " + failed + " failed, " + skipped + " skipped";
        }
    }

    private final Devices devices;
    private final Device device;
    private final NnapiCaseSuite suite;
    private final String filter;
    private final PrintStream out;
    private boolean explainsRefusals;
    private int passed;
    private int failed;
    private int skipped;

    /**
     * @param deviceName the device that is tested, one of {@code devices}; what it refuses is skipped
     * @param filter only tests whose name, file or an operation's name contains this text run; empty for all
     * @param out receives each failure and the closing line
     */
    public ConformanceRunner(Devices devices, String deviceName, NnapiCaseSuite suite, String filter, PrintStream out) {
        this.devices = devices;
        device = devices.find(deviceName);
        this.suite = suite;
        this.filter = filter;
        this.out = out;
    }

    /** Prints a line for each test that the device refuses: the operation and the device's reason. */
    public void explainRefusals() {
        explainsRefusals = true;
    }

    /**
     * Runs every case file under a directory, or one file.
     *
     * @throws IllegalArgumentException if there is no case of the suite and the filter: that nothing failed then says
     *     nothing
     */
    public Summary run(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(p -> p.getFileName().toString().endsWith(".json.gz"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            for (TestCase test : CaseFile.read(file)) {
                if (suite.includes(test) && matches(test, file)) {
                    run(test);
                }
            }
        }
        Summary summary = new Summary(passed, failed, skipped);
        if (passed + failed + skipped == 0) {
            throw new IllegalArgumentException("cases: none in " + root + " of suite " + suite.label() + " with \""
                    + filter + "\" in the name, the file or an operation (expected: at least one)");
        }
        out.println(summary);
        return summary;
    }

    /**
     * Whether an error says what of a model is wrong. One that something stumbled over is wrapped in the same type, and
     * is none.
     */
    private static boolean isRefusal(NnapiException error) {
        boolean own = error.getCause() == null || error.getCause() instanceof NnapiException cause && isRefusal(cause);
        return own
                && (error.resultCode() == ResultCode.BAD_DATA
                        || error.resultCode() == ResultCode.OP_FAILED
                        || error.resultCode() == ResultCode.UNEXPECTED_NULL);
    }

    private boolean matches(TestCase test, Path file) {
        return filter.isEmpty()
                || test.name().contains(filter)
                || file.toString().contains(filter)
                || test.main().operations().stream()
                        .anyMatch(o -> o.type().name().equals(filter));
    }

    private void run(TestCase original) {
        TestCase test = suite.change(original);
        String problem;
        try {
            problem = judge(test);
        } catch (NnapiException e) {
            problem = test.expectFailure() && !test.isInfiniteLoop() && isRefusal(e) ? null : e.toString();
        } catch (RuntimeException | StackOverflowError e) {
            problem = "crash: " + e;
            StackTraceElement[] trace = e.getStackTrace();
            for (int i = 0; i < Math.min(5, trace.length); i++) {
                problem += "\n      at " + trace[i];
            }
        }
        if (problem == SKIP) {
            skipped++;
        } else if (problem == null) {
            passed++;
        } else {
            failed++;
            out.println("FAILED " + test.name() + "\n    " + problem);
        }
    }

    /** Stands for a test the device honestly refuses; compared by identity. */
    private static final String SKIP = "skipped";

    private String judge(TestCase test) {
        Model model = TestModelBuilder.build(test, suite);
        if (suite == NnapiCaseSuite.FEATURE_LEVEL) {
            FeatureLevelNeed need = model.featureLevelNeed();
            return need.level() == test.statedLevel() ? null : "needs " + need + ", expected " + test.statedLevel();
        }
        String refusal = refusal(model);
        if (refusal != null) {
            if (explainsRefusals) {
                out.println("REFUSED " + test.name() + "\t" + refusal);
            }
            return SKIP;
        }
        try (Compilation compilation = new CompilationBuilder(model)
                .setAvailable(devices)
                .setDevices(List.of(device))
                .setFallback(false)
                .finish()) {
            SuiteExecution execution = new SuiteExecution(test, suite, compilation);
            if (test.isInfiniteLoop()) {
                return judgeInfiniteLoop(execution);
            }
            execution.compute();
            return test.expectFailure() ? "every stage succeeded, expected a failure" : compare(test, execution);
        }
    }

    /** The first operation that the device refuses and why; null when it takes the model. */
    private String refusal(Model model) {
        if (!device.featureLevel().includes(model.featureLevelNeed().level())) {
            return "model: " + model.featureLevelNeed() + " (expected: within " + device.featureLevel() + ")";
        }
        List<DeviceRefusal> refusals = device.refusals(model);
        return refusals.isEmpty()
                ? null
                : model.operations().get(refusals.get(0).operation()).type() + "\t"
                        + refusals.get(0).problem();
    }

    private static String judgeInfiniteLoop(SuiteExecution execution) {
        execution.setLoopTimeout(INFINITE_LOOP_TIMEOUT);
        try {
            execution.compute();
            return "the loop ended, expected MISSED_DEADLINE";
        } catch (NnapiException e) {
            return e.resultCode() == ResultCode.MISSED_DEADLINE_TRANSIENT
                            || e.resultCode() == ResultCode.MISSED_DEADLINE_PERSISTENT
                    ? null
                    : e + ", expected MISSED_DEADLINE";
        }
    }

    private static String compare(TestCase test, SuiteExecution execution) {
        StringBuilder problems = new StringBuilder();
        int[] outputs = test.main().outputs();
        for (int i = 0; i < outputs.length; i++) {
            TestOperand expected = test.main().operands().get(outputs[i]);
            if (!expected.ignored()) {
                String problem = Comparer.compare(test, expected, execution.outputDimensions(i), execution.result(i));
                if (problem != null) {
                    problems.append(problems.isEmpty() ? "" : "\n    ")
                            .append("output ")
                            .append(i)
                            .append(' ')
                            .append(expected.type())
                            .append(": ")
                            .append(problem);
                }
            }
        }
        return problems.isEmpty() ? null : problems.toString();
    }

    /** {@code DIR [--device NAME] [--suite NAME] [--filter TEXT] [--verbose]}; exits with 1 if a test failed. */
    public static void main(String[] args) throws IOException {
        String device = "reference";
        NnapiCaseSuite suite = NnapiCaseSuite.GENERATED;
        String filter = "";
        boolean verbose = false;
        Path root = null;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--device" -> device = args[++i];
                case "--suite" -> suite = NnapiCaseSuite.of(args[++i]);
                case "--filter" -> filter = args[++i];
                case "--verbose" -> verbose = true;
                default -> root = Path.of(args[i]);
            }
        }
        ConformanceRunner runner = new ConformanceRunner(Devices.installed(), device, suite, filter, System.out);
        if (verbose) {
            runner.explainRefusals();
        }
        Summary summary = runner.run(root);
        System.exit(summary.failed() == 0 ? 0 : 1);
    }
}
