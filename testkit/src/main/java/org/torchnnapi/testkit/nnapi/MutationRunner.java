package org.torchnnapi.testkit.nnapi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/**
 * Runs changed tests: each must be rejected with a typed error, or do no harm. Anything else thrown, also as the cause
 * of a typed error, counts as a crash, and what goes on long after its deadline as hung.
 */
public final class MutationRunner {
    /** How a run ended. */
    public record Summary(int rejected, int harmless, int crashed, int hung) {
        /** Whether every changed test was rejected or harmless, and ended. */
        public boolean isSound() {
            return crashed == 0 && hung == 0;
        }

        @Override
        public String toString() {
            return rejected + " rejected, " + harmless + " harmless, " + crashed + " crashed, " + hung + " hung";
        }
    }

    private static final Duration TIMEOUT = Duration.ofMillis(500);
    /** What a deadline should have ended, also on a machine that does much else. */
    private static final Duration HUNG = TIMEOUT.multipliedBy(40);

    private final PrintStream out;
    private final Devices devices;
    private final Duration mostTime;
    private final int perKind;
    private int rejected;
    private int harmless;
    private int crashed;
    private int hung;

    /**
     * @param perKind how many changes of each kind every test gets
     * @param out receives each crash
     */
    public MutationRunner(int perKind, PrintStream out) {
        this(Devices.of(), HUNG, perKind, out);
    }

    /** @param mostTime after which a changed test counts as hung */
    MutationRunner(Devices devices, Duration mostTime, int perKind, PrintStream out) {
        this.devices = devices;
        this.mostTime = mostTime;
        this.perKind = perKind;
        this.out = out;
    }

    /** Changes every {@code stride}-th test of every case file under a directory whose path contains {@code filter}. */
    public Summary run(Path root, int stride, String filter) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(p -> p.getFileName().toString().endsWith(".json.gz")
                            && p.toString().contains(filter))
                    .sorted()
                    .toList();
        }
        int number = 0;
        for (Path file : files) {
            for (TestCase test : CaseFile.read(file)) {
                if (number++ % stride == 0 && !test.expectFailure()) {
                    run(test, number);
                }
            }
        }
        return summary();
    }

    /** Changes one test in every way. */
    void run(TestCase test, long seed) {
        Mutator mutator = new Mutator(seed);
        for (Mutator.Kind kind : Mutator.Kind.values()) {
            for (int i = 0; i < perKind; i++) {
                judge(mutator.mutate(test, kind));
            }
        }
    }

    Summary summary() {
        return new Summary(rejected, harmless, crashed, hung);
    }

    private void judge(TestCase test) {
        long start = System.nanoTime();
        try {
            execute(test);
            harmless++;
        } catch (NnapiException e) {
            if (e.getCause() == null) {
                rejected++;
            } else {
                crash(test, e.getCause());
            }
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            crash(test, e);
        } finally {
            if (System.nanoTime() - start > mostTime.toNanos()) {
                hung++;
                out.println("HUNG " + test.name());
            }
        }
    }

    private void crash(TestCase test, Throwable e) {
        crashed++;
        StackTraceElement[] trace = e.getStackTrace();
        out.println("CRASHED " + test.name() + "\n    " + e);
        for (int i = 0; i < Math.min(12, trace.length); i++) {
            out.println("      at " + trace[i]);
        }
    }

    private void execute(TestCase test) {
        Model model = TestModelBuilder.build(test, NnapiCaseSuite.GENERATED);
        try (Compilation compilation =
                new CompilationBuilder(model).setAvailable(devices).finish()) {
            Execution execution = compilation.createExecution();
            execution.setLoopTimeout(Duration.ofMillis(20));
            execution.setTimeout(TIMEOUT);
            int[] inputs = test.main().inputs();
            for (int i = 0; i < inputs.length; i++) {
                TestOperand input = test.main().operands().get(inputs[i]);
                execution.setInput(
                        i,
                        input.data() == null ? null : input.data().duplicate().clear(),
                        input.descriptor().dimensions());
            }
            int[] outputs = test.main().outputs();
            for (int i = 0; i < outputs.length; i++) {
                TestOperand output = test.main().operands().get(outputs[i]);
                execution.setOutput(
                        i,
                        ByteBuffer.allocate(
                                output.data() == null
                                        ? 64
                                        : Math.max(1, output.data().capacity())));
            }
            execution.compute();
        }
    }

    /** {@code DIR [PER_KIND [STRIDE [FILTER]]]}; exits with 1 if anything crashed or hung. */
    public static void main(String[] args) throws IOException {
        int perKind = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        int stride = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        Summary summary =
                new MutationRunner(perKind, System.out).run(Path.of(args[0]), stride, args.length > 3 ? args[3] : "");
        System.out.println(summary);
        System.exit(summary.isSound() ? 0 : 1);
    }
}
