package org.torchnnapi.testkit.nnapi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/**
 * Runs conformance case files on one device and prints each failure. Not thread-safe.
 */
public final class ConformanceRunner {
    /** Long enough for a loop to start, short enough for a test. */
    private static final long INFINITE_LOOP_TIMEOUT = TimeUnit.MILLISECONDS.toNanos(1);

    /** How a run ended. */
    public record Summary(int passed, int failed, int skipped) {
        @Override
        public String toString() {
            return passed + " passed, " + failed + " failed, " + skipped + " skipped";
        }
    }

    private final Driver driver;
    private final Suite suite;
    private final String filter;
    private final PrintStream out;
    private int passed;
    private int failed;
    private int skipped;

    /**
     * @param filter only tests whose name, file or an operation's name contains this text run; empty for all
     * @param out receives each failure and the closing line
     */
    public ConformanceRunner(Driver driver, Suite suite, String filter, PrintStream out) {
        this.driver = driver;
        this.suite = suite;
        this.filter = filter;
        this.out = out;
    }

    /** Runs every case file under a directory, or one file. */
    public Summary run(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(p -> p.getFileName().toString().endsWith(".json.gz")).sorted().toList();
        }
        for (Path file : files) {
            for (TestCase test : CaseFile.read(file)) {
                if (suite.includes(test) && matches(test, file)) {
                    run(test);
                }
            }
        }
        Summary summary = new Summary(passed, failed, skipped);
        out.println(summary);
        return summary;
    }

    private boolean matches(TestCase test, Path file) {
        return filter.isEmpty() || test.name().contains(filter) || file.toString().contains(filter)
                || test.main().operations().stream().anyMatch(o -> o.type().name().equals(filter));
    }

    private void run(TestCase original) {
        TestCase test = suite.change(original);
        String problem;
        try {
            problem = judge(test);
        } catch (NnapiException e) {
            problem = test.expectFailure() && !test.isInfiniteLoop() ? null : e.toString();
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
        if (driver.supportedOperations(model).stream().anyMatch(reason -> reason != null)) {
            return SKIP;
        }
        try (PreparedModel prepared = driver.prepare(model, PrepareOptions.DEFAULT)) {
            ExecutionRequest request = new ExecutionRequest(model);
            if (test.isInfiniteLoop()) {
                request.control().loopTimeoutNanos(INFINITE_LOOP_TIMEOUT);
            }
            int[] inputs = test.main().inputs();
            for (int i = 0; i < inputs.length; i++) {
                TestOperand input = test.main().operands().get(inputs[i]);
                request.setInput(i, input.data() == null ? null : input.data().duplicate().clear(), input.descriptor().dimensions());
            }
            int[] outputs = test.main().outputs();
            ByteBuffer[] results = new ByteBuffer[outputs.length];
            for (int i = 0; i < outputs.length; i++) {
                int bytes = Math.max(1, test.main().operands().get(outputs[i]).expectedBytes());
                results[i] = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
                request.setOutput(i, results[i]);
            }
            if (test.isInfiniteLoop()) {
                return judgeInfiniteLoop(prepared, request);
            }
            prepared.execute(request);
            return test.expectFailure() ? "every stage succeeded, expected a failure" : compare(test, request, results);
        }
    }

    private static String judgeInfiniteLoop(PreparedModel prepared, ExecutionRequest request) {
        try {
            prepared.execute(request);
            return "the loop ended, expected MISSED_DEADLINE";
        } catch (NnapiException e) {
            return e.resultCode() == ResultCode.MISSED_DEADLINE_TRANSIENT || e.resultCode() == ResultCode.MISSED_DEADLINE_PERSISTENT
                    ? null : e + ", expected MISSED_DEADLINE";
        }
    }

    private static String compare(TestCase test, ExecutionRequest request, ByteBuffer[] results) {
        StringBuilder problems = new StringBuilder();
        int[] outputs = test.main().outputs();
        for (int i = 0; i < outputs.length; i++) {
            TestOperand expected = test.main().operands().get(outputs[i]);
            if (!expected.ignored()) {
                String problem = Comparer.compare(test, expected, request.outputDimensions(i), results[i]);
                if (problem != null) {
                    problems.append(problems.isEmpty() ? "" : "\n    ").append("output ").append(i).append(' ').append(expected.type())
                            .append(": ").append(problem);
                }
            }
        }
        return problems.isEmpty() ? null : problems.toString();
    }

    /** The installed device of this name. */
    public static Driver device(String name) {
        for (Driver driver : ServiceLoader.load(Driver.class)) {
            if (driver.name().equals(name)) {
                return driver;
            }
        }
        throw new IllegalArgumentException("device: " + name + " (expected: one that is installed)");
    }

    /** {@code DIR [--device NAME] [--suite NAME] [--filter TEXT]}; exits with 1 if a test failed. */
    public static void main(String[] args) throws IOException {
        String device = "reference";
        Suite suite = Suite.GENERATED;
        String filter = "";
        Path root = null;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--device" -> device = args[++i];
                case "--suite" -> suite = Suite.of(args[++i]);
                case "--filter" -> filter = args[++i];
                default -> root = Path.of(args[i]);
            }
        }
        Summary summary = new ConformanceRunner(device(device), suite, filter, System.out).run(root);
        System.exit(summary.failed() == 0 ? 0 : 1);
    }
}
