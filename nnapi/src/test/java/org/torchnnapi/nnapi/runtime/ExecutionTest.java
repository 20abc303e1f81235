package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class ExecutionTest {
    private static void fails(ResultCode code, Executable action) {
        NnapiException e = assertThrows(NnapiException.class, action);
        assertEquals(code, e.resultCode(), e.getMessage());
    }

    private static void with(int size, Consumer<Compilation> action) {
        try (Compilation compilation = new CompilationBuilder(Models.doubled(size))
                .setAvailable(Devices.of())
                .finish()) {
            action.accept(compilation);
        }
    }

    @Test
    void heapDirectAndRawBuffersAreAlike() {
        with(2, compilation -> {
            ByteBuffer raw = ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN);
            raw.order(ByteOrder.LITTLE_ENDIAN).putFloat(0, 3).putFloat(4, 4);
            Execution execution = compilation.createExecution();
            float[] out = new float[5];
            execution.setInput(0, raw);
            execution.setOutput(0, FloatBuffer.wrap(out, 1, 3));
            execution.compute();
            assertArrayEquals(new float[] {0, 6, 8, 0, 0}, out);
            assertArrayEquals(new int[] {2}, execution.outputDimensions(0));
        });
    }

    @Test
    void wrongBuffersAreRefused() {
        with(2, compilation -> {
            Execution execution = compilation.createExecution();
            fails(ResultCode.BAD_DATA, () -> execution.setInput(0, IntBuffer.allocate(2)));
            fails(ResultCode.BAD_DATA, () -> execution.setInput(0, FloatBuffer.allocate(1)));
            fails(ResultCode.BAD_DATA, () -> execution.setInput(1, FloatBuffer.allocate(2)));
            fails(ResultCode.BAD_DATA, () -> execution.setInput(0, FloatBuffer.allocate(2), 3));
            fails(
                    ResultCode.BAD_DATA,
                    () -> execution.setOutput(0, FloatBuffer.allocate(2).asReadOnlyBuffer()));
            fails(ResultCode.BAD_DATA, execution::compute);
        });
    }

    @Test
    void dimensionsLeftOpenAreGivenAtExecution() {
        with(0, compilation -> {
            Execution execution = compilation.createExecution();
            fails(ResultCode.BAD_DATA, () -> execution.setInput(0, FloatBuffer.allocate(3)));
            fails(ResultCode.BAD_DATA, () -> execution.setInput(0, FloatBuffer.allocate(3), -3));
            execution.setInput(0, FloatBuffer.wrap(new float[] {1, 2, 3}), 3);
            execution.setOutput(0, FloatBuffer.allocate(3));
            execution.compute();
            assertArrayEquals(new int[] {3}, execution.outputDimensions(0));
        });
    }

    @Test
    void tooSmallAnOutputSaysWhatItNeeds() {
        with(0, compilation -> {
            Execution execution = compilation.createExecution();
            execution.setInput(0, FloatBuffer.allocate(3), 3);
            execution.setOutput(0, FloatBuffer.allocate(2));
            fails(ResultCode.OUTPUT_INSUFFICIENT_SIZE, execution::compute);
            assertArrayEquals(new int[] {3}, execution.outputDimensions(0));
            assertFalse(execution.isOutputSufficient(0));
            Compilation.Output output = compilation
                    .run(List.of(FloatBuffer.wrap(new float[] {1, 2})), List.of(new int[] {2}))
                    .get(0);
            assertEquals(4f, ((FloatBuffer) output.data()).get(1));
        });
    }

    @Test
    void computesOnceUnlessReusable() {
        with(1, compilation -> {
            Execution execution = compilation.createExecution();
            fails(ResultCode.BAD_STATE, () -> execution.outputDimensions(0));
            execution.setInput(0, FloatBuffer.allocate(1));
            execution.setOutput(0, FloatBuffer.allocate(1));
            execution.compute();
            fails(ResultCode.BAD_STATE, execution::compute);
            fails(ResultCode.BAD_STATE, () -> execution.setInput(0, FloatBuffer.allocate(1)));
            Execution again = compilation.createExecution();
            again.setReusable(true);
            again.setInput(0, FloatBuffer.allocate(1));
            again.setOutput(0, FloatBuffer.allocate(1));
            again.compute();
            again.compute();
        });
    }

    @Test
    void closedCompilationRunsNothing() {
        Compilation compilation = new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of())
                .finish();
        Execution execution = compilation.createExecution();
        execution.setInput(0, FloatBuffer.allocate(1));
        execution.setOutput(0, FloatBuffer.allocate(1));
        compilation.close();
        compilation.close();
        fails(ResultCode.BAD_STATE, execution::compute);
    }

    @Test
    void cancelledExecutionEndsInOpFailed() {
        with(1, compilation -> {
            Execution execution = compilation.createExecution();
            execution.setInput(0, FloatBuffer.allocate(1));
            execution.setOutput(0, FloatBuffer.allocate(1));
            execution.cancel();
            fails(ResultCode.OP_FAILED, execution::compute);
        });
    }

    @Test
    void deadlineIsKept() {
        ScriptedDriver slow = new ScriptedDriver("slow", o -> o.type() == OperationType.ADD).before(r -> {
            while (System.nanoTime() - r.control().deadline() < 0) {
                Thread.onSpinWait();
            }
        });
        PlacementRules rules = PlacementRules.NONE.deny("reference", "ADD");
        try (Compilation compilation = new CompilationBuilder(Models.chain(1, 4))
                .setAvailable(Devices.of(slow))
                .setPlacementRules(rules)
                .finish()) {
            Execution execution = compilation.createExecution();
            execution.setTimeout(Duration.ofMillis(5));
            execution.setInput(0, FloatBuffer.allocate(4));
            execution.setOutput(0, FloatBuffer.allocate(4));
            fails(ResultCode.MISSED_DEADLINE_TRANSIENT, execution::compute);
        }
    }

    @Test
    void valuesPassBetweenDevicesWhateverTheirShape() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type() == OperationType.ADD);
        PlacementRules rules = PlacementRules.NONE.deny("reference", "ADD");
        for (int declared : new int[] {4, 0}) {
            try (Compilation split = new CompilationBuilder(Models.chain(3, declared))
                            .setAvailable(Devices.of(npu))
                            .setPlacementRules(rules)
                            .finish();
                    Compilation whole = new CompilationBuilder(Models.chain(3, declared))
                            .setAvailable(Devices.of())
                            .finish()) {
                assertEquals(6, split.partitionCount());
                for (int size : declared == 0 ? new int[] {3, 9, 2} : new int[] {4, 4}) {
                    float[] input = new float[size];
                    for (int i = 0; i < size; i++) {
                        input[i] = i * 0.7f;
                    }
                    List<FloatBuffer> inputs = List.of(FloatBuffer.wrap(input));
                    List<int[]> shapes = List.of(new int[] {1, size});
                    FloatBuffer a =
                            (FloatBuffer) split.run(inputs, shapes).get(0).data();
                    FloatBuffer b =
                            (FloatBuffer) whole.run(inputs, shapes).get(0).data();
                    for (int i = 0; i < size; i++) {
                        assertEquals(b.get(i), a.get(i));
                    }
                }
            }
        }
    }

    @Test
    void eventsOrderExecutions() {
        with(1, compilation -> {
            FloatBuffer middle = FloatBuffer.allocate(1);
            Execution first = compilation.createExecution();
            first.setInput(0, FloatBuffer.wrap(new float[] {5}));
            first.setOutput(0, middle);
            FloatBuffer out = FloatBuffer.allocate(1);
            Execution second = compilation.createExecution();
            second.setMeasureTiming(true);
            second.setInput(0, middle);
            second.setOutput(0, out);
            Event end = second.startComputeWithDependencies(List.of(first.startCompute()), Duration.ofSeconds(30));
            end.await();
            assertTrue(end.isDone());
            assertEquals(20f, out.get(0));
            assertTrue(second.driverNanos() > 0 && second.fencedNanos() >= second.driverNanos());
        });
    }

    /** Whether the runtime waits, as where there is a duration, or the device. */
    @Test
    void nothingBeginsBeforeWhatItDependsOn() {
        with(1, compilation -> {
            for (Duration duration : Arrays.asList(Duration.ofSeconds(30), null)) {
                FloatBuffer given = FloatBuffer.allocate(1);
                FloatBuffer out = FloatBuffer.allocate(1);
                Execution execution = compilation.createExecution();
                execution.setInput(0, given);
                execution.setOutput(0, out);
                CompletableFuture<Void> written = new CompletableFuture<>();
                Event end = execution.startComputeWithDependencies(List.of(Event.of(signalledBy(written))), duration);
                for (int i = 0; i < 100 && !end.isDone(); i++) {
                    LockSupport.parkNanos(1_000_000);
                }
                assertFalse(end.isDone());
                given.put(0, 5);
                written.complete(null);
                end.await();
                assertEquals(10f, out.get(0));
            }
        });
    }

    private static Fence signalledBy(CompletableFuture<Void> future) {
        return new Fence() {
            @Override
            public void await() {
                future.join();
            }

            @Override
            public boolean isSignaled() {
                return future.isDone();
            }
        };
    }

    @Test
    void waitingForAnEventMayEndBeforeIt() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        npu.before(r -> npu.hang());
        PlacementRules rules = PlacementRules.NONE.only("npu");
        try (Compilation compilation = new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of(npu))
                .setPlacementRules(rules)
                .finish()) {
            Execution execution = compilation.createExecution();
            FloatBuffer out = FloatBuffer.allocate(1);
            execution.setInput(0, FloatBuffer.wrap(new float[] {5}));
            execution.setOutput(0, out);
            Event end = execution.startCompute();
            assertFalse(end.await(Duration.ofMillis(5)));
            npu.hang.countDown();
            assertTrue(end.await(Duration.ofSeconds(30)));
            assertEquals(10f, out.get(0));
        } finally {
            npu.hang.countDown();
        }
    }

    @Test
    void failedDependencyFailsTheDependent() {
        with(0, compilation -> {
            Execution first = compilation.createExecution();
            first.setInput(0, FloatBuffer.allocate(2), 2);
            first.setOutput(0, FloatBuffer.allocate(1));
            Execution second = compilation.createExecution();
            second.setInput(0, FloatBuffer.allocate(1), 1);
            second.setOutput(0, FloatBuffer.allocate(1));
            Event end = second.startComputeWithDependencies(List.of(first.startCompute()), null);
            fails(ResultCode.OP_FAILED, end::await);
        });
    }

    @Test
    void partsOfMemoriesAreInputsAndOutputs(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("values");
        ByteBuffer bytes =
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putFloat(8, 21f);
        Files.write(file, bytes.array());
        with(1, compilation -> {
            try (Memory memory = Memory.ofFile(file, 4, 12, true)) {
                Execution execution = compilation.createExecution();
                fails(ResultCode.BAD_DATA, () -> execution.setInputFromMemory(0, memory, 12, 4));
                fails(ResultCode.BAD_DATA, () -> execution.setInputFromMemory(0, memory, -4, 4));
                execution.setInputFromMemory(0, memory, 4, 4);
                execution.setOutputFromMemory(0, memory, 8, 4);
                execution.compute();
            }
        });
        assertEquals(
                42f,
                ByteBuffer.wrap(Files.readAllBytes(file))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getFloat(12));
        fails(ResultCode.BAD_DATA, () -> Memory.ofFile(file, 8, 9, false));
        fails(ResultCode.UNMAPPABLE, () -> Memory.ofFile(directory.resolve("none"), 0, 1, false));
    }

    @Test
    void deviceMemoryKeepsToItsRoles() {
        with(1, compilation -> {
            fails(ResultCode.BAD_DATA, () -> new MemoryDescription().createMemory());
            Memory in = new MemoryDescription().addInputRole(compilation, 0, 1f).createMemory();
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 0.5f).createMemory();
            Execution early = compilation.createExecution();
            fails(ResultCode.BAD_DATA, () -> early.setOutputFromMemory(0, in, 0, 0));
            fails(ResultCode.BAD_DATA, () -> early.setInputFromMemory(0, in, 0, 4));
            early.setInputFromMemory(0, in, 0, 0);
            early.setOutputFromMemory(0, out, 0, 0);
            fails(ResultCode.OP_FAILED, early::compute);
            ByteBuffer value =
                    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, 4f);
            Memory.copy(Memory.ofBuffer(value), in);
            Execution execution = compilation.createExecution();
            execution.setInputFromMemory(0, in, 0, 0);
            execution.setOutputFromMemory(0, out, 0, 0);
            execution.compute();
            Memory.copy(out, Memory.ofBuffer(value));
            assertEquals(8f, value.getFloat(0));
        });
    }

    @Test
    void whatAKilledProcessLeftInACacheGoesWithTheNextEntry(@TempDir Path directory) throws Exception {
        Path left = Files.write(directory.resolve("draft123.tmp"), new byte[1]);
        Path young = Files.write(directory.resolve("draft124.tmp"), new byte[1]);
        Path other = Files.write(directory.resolve("notes.tmp"), new byte[1]);
        for (Path old : List.of(left, other)) {
            Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 7_200_000));
        }
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).cacheData(new byte[] {1});
        new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of(npu))
                .setPlacementRules(PlacementRules.NONE.only("npu"))
                .setCaching(directory, new byte[CompilationBuilder.TOKEN_BYTES])
                .finish()
                .close();
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(young) && Files.exists(other));
    }

    @Test
    void cacheIsUsedWhenWholeAndIgnoredWhenNot(@TempDir Path directory) throws Exception {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).cacheData(new byte[] {1, 2, 3});
        byte[] token = new byte[CompilationBuilder.TOKEN_BYTES];
        Runnable compile = () -> new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of(npu))
                .setPlacementRules(PlacementRules.NONE.only("npu"))
                .setCaching(directory, token)
                .finish()
                .close();
        compile.run();
        assertArrayEquals(null, npu.lastOptions.cached());
        compile.run();
        assertArrayEquals(new byte[] {1, 2, 3}, npu.lastOptions.cached());
        Path file;
        try (var files = Files.list(directory)) {
            file = files.findFirst().orElseThrow();
        }
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i += 7) {
            byte[] damaged = good.clone();
            damaged[i] ^= 0x40;
            Files.write(file, damaged);
            compile.run();
            assertArrayEquals(null, npu.lastOptions.cached(), "byte " + i);
        }
        Files.write(file, Arrays.copyOf(good, 10));
        compile.run();
        assertArrayEquals(null, npu.lastOptions.cached());
        // What the driver cannot start from, whole as it is, is replaced.
        npu.cacheData(new byte[] {7});
        compile.run();
        assertArrayEquals(new byte[] {1, 2, 3}, npu.lastOptions.cached());
        compile.run();
        assertArrayEquals(new byte[] {7}, npu.lastOptions.cached());
        fails(ResultCode.BAD_DATA, () -> new CompilationBuilder(Models.doubled(1)).setCaching(directory, new byte[31]));
    }

    /** Finding a file takes a digest of all weights: none is taken, written or read for a device that keeps nothing. */
    @Test
    void noFileIsOfADeviceThatKeepsNothing(@TempDir Path directory) throws Exception {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        List<TraceEvent.Kind> kinds = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            new CompilationBuilder(Models.doubled(1))
                    .setAvailable(Devices.of(npu))
                    .setPlacementRules(PlacementRules.NONE.only("npu"))
                    .setCaching(directory, new byte[CompilationBuilder.TOKEN_BYTES])
                    .setTrace(event -> kinds.add(event.kind()))
                    .finish()
                    .close();
            assertArrayEquals(null, npu.lastOptions.cached());
        }
        assertEquals(
                List.of(
                        TraceEvent.Kind.PARTITION,
                        TraceEvent.Kind.PREPARE,
                        TraceEvent.Kind.PARTITION,
                        TraceEvent.Kind.PREPARE),
                kinds);
        try (var files = Files.list(directory)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void everyRunOfAReusableFencedExecutionHasItsOwnDeadline() {
        with(1, compilation -> {
            Execution execution = compilation.createExecution();
            execution.setReusable(true);
            execution.setInput(0, FloatBuffer.wrap(new float[] {1}));
            execution.setOutput(0, FloatBuffer.allocate(1));
            fails(
                    ResultCode.MISSED_DEADLINE_TRANSIENT,
                    () -> execution
                            .startComputeWithDependencies(List.of(), Duration.ofNanos(1))
                            .await());
            execution
                    .startComputeWithDependencies(List.of(), Duration.ofMinutes(1))
                    .await();
            execution.compute();
        });
    }

    @Test
    void cancellingOneRunOfAReusableExecutionSparesTheNext() {
        with(1, compilation -> {
            Execution execution = compilation.createExecution();
            execution.setReusable(true);
            execution.setInput(0, FloatBuffer.wrap(new float[] {1}));
            execution.setOutput(0, FloatBuffer.allocate(1));
            execution.cancel();
            fails(ResultCode.OP_FAILED, execution::compute);
            execution.compute();
        });
    }
}
