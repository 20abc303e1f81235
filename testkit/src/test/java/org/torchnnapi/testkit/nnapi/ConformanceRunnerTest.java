package org.torchnnapi.testkit.nnapi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Devices;

class ConformanceRunnerTest {
    private static final Path GIVEN = Path.of("..", "..", "shared", "conformance", "nnapi");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private ConformanceRunner runner(NnapiCaseSuite suite, String filter) {
        return new ConformanceRunner(
                Devices.of(), "reference", suite, filter, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    /** {@code x + x} of [1, 2] with this expectation, as a case file. */
    private static Path write(Path directory, float first, float second) throws IOException {
        return write(directory, first, second, false);
    }

    private static Path write(Path directory, float first, float second, boolean expectFailure) throws IOException {
        String json = """
            {"spec": "own", "version": "V1_0", "tests": [{"name": "doubled", "minSupportedVersion": "V1_0", \
            "expectFailure": %s, "main": {"operands": [
            {"type": "TENSOR_FLOAT32", "dimensions": [2], "lifetime": "SUBGRAPH_INPUT", "data": 0},
            {"type": "INT32", "dimensions": [], "lifetime": "CONSTANT_COPY", "data": 1},
            {"type": "TENSOR_FLOAT32", "dimensions": [2], "lifetime": "SUBGRAPH_OUTPUT", "data": 2}],
            "operations": [{"type": "ADD", "inputs": [0, 0, 1], "outputs": [2]}], "inputs": [0], "outputs": [2]}}],
            "buffers": ["%s", "AAAAAA==", "%s"]}""".formatted(expectFailure, floats(1, 2), floats(first, second));
        Path file = directory.resolve("own.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(json.getBytes(StandardCharsets.US_ASCII));
        }
        return file;
    }

    private static String floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    @ParameterizedTest
    @EnumSource(
            value = NnapiCaseSuite.class,
            names = {"GENERATED", "DYNAMIC_OUTPUT_SHAPE", "DEVICE_MEMORY", "FENCED", "BURST", "FEATURE_LEVEL"})
    void rightResultPassesInEverySuite(NnapiCaseSuite suite, @TempDir Path directory) throws IOException {
        assertEquals(
                new ConformanceRunner.Summary(1, 0, 0),
                runner(suite, "").run(write(directory, 2, 4)),
                printed::toString);
    }

    @Test
    void noCaseIsNoSuccess(@TempDir Path directory) throws IOException {
        Path file = write(directory, 2, 4);
        assertEquals(1, runner(NnapiCaseSuite.GENERATED, "doubled").run(file).passed());
        assertThrows(
                IllegalArgumentException.class,
                () -> runner(NnapiCaseSuite.GENERATED, "tripled").run(file));
        assertThrows(
                IllegalArgumentException.class,
                () -> runner(NnapiCaseSuite.GENERATED, "").run(Files.createDirectory(directory.resolve("none"))));
    }

    @Test
    void wrongResultFailsWithIndexAndError(@TempDir Path directory) throws IOException {
        ConformanceRunner.Summary summary = runner(NnapiCaseSuite.GENERATED, "").run(write(directory, 2, 5));
        assertEquals(1, summary.failed());
        assertTrue(printed.toString().contains("[1] actual 4.0, expected 5.0, error 1.0"), printed::toString);
        assertTrue(
                printed.toString().endsWith("0 passed, 1 failed, 0 skipped" + System.lineSeparator()),
                printed::toString);
    }

    /**
     * In a burst it computes with what the first execution was given, wherever the inputs are by then; and it waits for
     * no fence.
     */
    private static final class Careless extends Unwilling {
        private final ReferenceDriver reference = new ReferenceDriver();

        @Override
        public List<DeviceRefusal> refusals(Model model) {
            return List.of();
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            PreparedModel inner = reference.prepare(model, options);
            return new PreparedModel() {
                private Buffer first;

                @Override
                public void execute(ExecutionRequest request) {
                    inner.execute(request);
                }

                @Override
                public BurstState openBurst() {
                    return new BurstState() {
                        @Override
                        public void execute(ExecutionRequest request) {
                            first = first == null ? request.input(0) : first;
                            request.passInput(0, first, null);
                            inner.execute(request);
                        }

                        @Override
                        public void close() {}
                    };
                }

                @Override
                public boolean takesFences() {
                    return true;
                }

                @Override
                public Fence executeBehind(ExecutionRequest request, List<Fence> fences) {
                    inner.execute(request);
                    return Fence.SIGNALED;
                }

                @Override
                public void close() {
                    inner.close();
                }
            };
        }
    }

    @Test
    void burstThatKeepsValuesFails(@TempDir Path directory) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Path file = write(directory, 2, 4);
        assertEquals(
                1,
                new ConformanceRunner(Devices.of(new Careless()), "unwilling", NnapiCaseSuite.GENERATED, "", out)
                        .run(file)
                        .passed());
        assertEquals(
                1,
                new ConformanceRunner(Devices.of(new Careless()), "unwilling", NnapiCaseSuite.BURST, "", out)
                        .run(file)
                        .failed());
    }

    /** Gives memory of its own that stays as it is, whatever is written to it. */
    private static final class Forgetful extends Unwilling {
        private final ReferenceDriver reference = new ReferenceDriver();

        private final class Unchanging implements DeviceBuffer {
            private final int size;

            Unchanging(long size) {
                this.size = (int) size;
            }

            @Override
            public Driver owner() {
                return Forgetful.this;
            }

            @Override
            public long size() {
                return size;
            }

            @Override
            public void read(ByteBuffer to) {
                to.put(new byte[to.remaining()]);
            }

            @Override
            public void write(ByteBuffer from) {
                from.position(from.limit());
            }

            @Override
            public void close() {}
        }

        @Override
        public List<DeviceRefusal> refusals(Model model) {
            return List.of();
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            return reference.prepare(model, options);
        }

        @Override
        public DeviceBuffer allocate(OperandDescriptor operand, List<MemoryRole> roles) {
            return new Unchanging(operand.byteCount());
        }
    }

    @Test
    void deviceMemoryThatTakesNothingInFails(@TempDir Path directory) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Path file = write(directory, 2, 4);
        for (NnapiCaseSuite suite :
                List.of(NnapiCaseSuite.GENERATED, NnapiCaseSuite.BURST, NnapiCaseSuite.DEVICE_MEMORY)) {
            int failed = suite == NnapiCaseSuite.DEVICE_MEMORY ? 1 : 0;
            assertEquals(
                    new ConformanceRunner.Summary(1 - failed, failed, 0),
                    new ConformanceRunner(Devices.of(new Forgetful()), "unwilling", suite, "", out).run(file),
                    printed::toString);
        }
    }

    /** One that does not wait has nothing to compute with; now and then it may be so late that its inputs are there. */
    @Test
    void executionThatWaitsForNoDependencyFails(@TempDir Path directory) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Path file = write(directory, 2, 4);
        int failed = 0;
        for (int i = 0; i < 50 && failed == 0; i++) {
            failed = new ConformanceRunner(Devices.of(new Careless()), "unwilling", NnapiCaseSuite.FENCED, "", out)
                    .run(file)
                    .failed();
        }
        assertEquals(1, failed, printed::toString);
    }

    /** Refuses everything. */
    private static class Unwilling implements Driver {
        @Override
        public String name() {
            return "unwilling";
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public DeviceType type() {
            return DeviceType.OTHER;
        }

        @Override
        public FeatureLevel featureLevel() {
            return FeatureLevel.V1_3;
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.uniform(Capabilities.Performance.BASE);
        }

        @Override
        public List<DeviceRefusal> refusals(Model model) {
            return List.of(DeviceRefusal.of(0, "mood", "bad", "good"));
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            throw new AssertionError("prepared what was refused");
        }
    }

    @Test
    void refusalIsExplainedWhenAsked(@TempDir Path directory) throws IOException {
        ConformanceRunner runner = new ConformanceRunner(
                Devices.of(new Unwilling()),
                "unwilling",
                NnapiCaseSuite.GENERATED,
                "",
                new PrintStream(printed, true, StandardCharsets.UTF_8));
        runner.explainRefusals();
        assertEquals(new ConformanceRunner.Summary(0, 0, 1), runner.run(write(directory, 2, 4)));
        assertTrue(printed.toString().contains("REFUSED doubled\tADD\tmood: bad (expected: good)"), printed::toString);
    }

    @Test
    void boundIsInclusive(@TempDir Path directory) throws IOException {
        assertEquals(
                1,
                runner(NnapiCaseSuite.GENERATED, "")
                        .run(write(directory, 2 + 1e-5f, 4))
                        .passed());
        assertEquals(
                1,
                runner(NnapiCaseSuite.GENERATED, "")
                        .run(write(directory, 2 + 1.3e-5f, 4))
                        .failed());
    }

    @ParameterizedTest
    @EnumSource(value = NnapiCaseSuite.class, mode = EnumSource.Mode.EXCLUDE, names = "FEATURE_LEVEL")
    void givenTestsPassOnTheReferenceDevice(NnapiCaseSuite suite) throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(GIVEN), "no conformance tests at " + GIVEN);
        ConformanceRunner.Summary summary = runner(suite, "").run(GIVEN);
        assertEquals(0, summary.failed(), printed::toString);
        assertTrue(summary.passed() > 0);
    }

    /**
     * 244 given tests state the release of an operation whose variant came later, and one a release that it does not
     * need.
     */
    @Test
    void givenTestsNeedTheReleaseThatTheyState() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(GIVEN), "no conformance tests at " + GIVEN);
        assertEquals(
                new ConformanceRunner.Summary(4882, 245, 0),
                runner(NnapiCaseSuite.FEATURE_LEVEL, "").run(GIVEN));
        assertTrue(printed.toString(StandardCharsets.UTF_8)
                .contains("FAILED mobilenet_224_gender_basic_fixed\n    needs NNAPI 1.0, expected NNAPI 1.2\n"));
    }

    /** Takes every model, once something else was done, and computes as the reference does. */
    private static final class Disturbed extends Unwilling {
        private final ReferenceDriver reference = new ReferenceDriver();
        private final Runnable before;

        Disturbed(Runnable before) {
            this.before = before;
        }

        @Override
        public List<DeviceRefusal> refusals(Model model) {
            before.run();
            return List.of();
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            return reference.prepare(model, options);
        }
    }

    /**
     * A model that must be refused is so only by a rule; what a device stumbles over comes in the same type, with its
     * cause.
     */
    @Test
    void wrappedCrashIsNoRefusal(@TempDir Path directory) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Path file = write(directory, 2, 4, true);
        for (Throwable cause : new Throwable[] {null, new ArrayIndexOutOfBoundsException("3")}) {
            Driver failing = new Unwilling() {
                @Override
                public List<DeviceRefusal> refusals(Model model) {
                    return List.of();
                }

                @Override
                public PreparedModel prepare(Model model, PrepareOptions options) {
                    throw new NnapiException(ResultCode.OP_FAILED, "operation 0", cause);
                }
            };
            ConformanceRunner.Summary summary = new ConformanceRunner(
                            Devices.of(failing), "unwilling", NnapiCaseSuite.VALIDATION, "", out)
                    .run(file);
            assertEquals(
                    new ConformanceRunner.Summary(cause == null ? 1 : 0, cause == null ? 0 : 1, 0),
                    summary,
                    printed::toString);
        }
    }

    private MutationRunner.Summary changed(Path file, Duration mostTime, Runnable before) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        return new MutationRunner(Devices.of(new Disturbed(before)), mostTime, 5, out).run(file, 1, "");
    }

    @Test
    void changedTestsThatHangAreNotSound(@TempDir Path directory) throws IOException {
        Path file = write(directory, 2, 4);
        MutationRunner.Summary calm = changed(file, Duration.ofMinutes(1), () -> {});
        assertTrue(calm.isSound() && calm.harmless() > 0, printed::toString);
        MutationRunner.Summary late = changed(
                file,
                Duration.ofMillis(200),
                () -> LockSupport.parkNanos(Duration.ofMillis(300).toNanos()));
        assertTrue(late.hung() > 0 && !late.isSound(), late::toString);
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("HUNG "), printed::toString);
    }

    @Test
    void changedTestsAreRejectedOrHarmless(@TempDir Path directory) throws IOException {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        MutationRunner.Summary own = new MutationRunner(200, out).run(write(directory, 2, 4), 1, "");
        assertTrue(own.isSound(), printed::toString);
        assertTrue(own.rejected() > 1000, own::toString);
        if (Files.isDirectory(GIVEN)) {
            MutationRunner.Summary given = new MutationRunner(1, out).run(GIVEN, 7, "");
            assertTrue(given.isSound(), printed::toString);
        }
    }
}
