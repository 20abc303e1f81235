package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.MemoryLimit;

/** Executions of one prepared model: at the same time, cancelled, late, and with too little room. */
class ExecutionsTest {
    private static final int SIZE = 1 << 10;

    private static Model model() {
        Graphs graph = new Graphs(1, OperandType.TENSOR_QUANT8_ASYMM);
        int x = graph.tensor(1, SIZE);
        int y = graph.apply(OperationType.RELU, new int[] {1, SIZE}, x);
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        return graph.builder.finish();
    }

    private static ExecutionRequest request(Model model, byte fill, byte[] result) {
        byte[] input = new byte[SIZE];
        Arrays.fill(input, fill);
        ExecutionRequest request = new ExecutionRequest(model);
        request.setInput(0, ByteBuffer.wrap(input));
        request.setOutput(0, ByteBuffer.wrap(result));
        return request;
    }

    @Test
    void atTheSameTime() throws Exception {
        Model model = model();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (CpuModel prepared = (CpuModel) new CpuDriver().prepare(model, PrepareOptions.DEFAULT)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 6; thread++) {
                byte fill = (byte) (200 + thread);
                done.add(threads.submit(() -> {
                    for (int i = 0; i < 200; i++) {
                        byte[] result = new byte[SIZE];
                        prepared.execute(request(model, fill, result));
                        byte[] expected = new byte[SIZE];
                        Arrays.fill(expected, fill);
                        assertArrayEquals(expected, result);
                    }
                }));
            }
            for (Future<?> future : done) {
                future.get();
            }
            assertTrue(prepared.memory().working()
                    <= Runtime.getRuntime().availableProcessors()
                            * prepared.program().arenaBytes());
            assertEquals(
                    prepared.program().labels().size() + 1,
                    prepared.program().describe().size());
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void cancelledOrLate() {
        Model model = model();
        try (CpuModel prepared = (CpuModel) new CpuDriver().prepare(model, PrepareOptions.DEFAULT)) {
            ExecutionControl cancelled = new ExecutionControl();
            cancelled.cancel();
            ExecutionControl late = new ExecutionControl();
            late.deadline(System.nanoTime() - 1);
            assertEquals(ResultCode.OP_FAILED, failure(prepared, model, cancelled));
            assertEquals(ResultCode.MISSED_DEADLINE_TRANSIENT, failure(prepared, model, late));
            byte[] result = new byte[SIZE];
            prepared.execute(request(model, (byte) 201, result));
            assertEquals((byte) 201, result[SIZE - 1]);
        }
    }

    private static ResultCode failure(CpuModel prepared, Model model, ExecutionControl control) {
        ExecutionRequest request = request(model, (byte) 1, new byte[SIZE]);
        request.control(control);
        return assertThrows(NnapiException.class, () -> prepared.execute(request))
                .resultCode();
    }

    /** Also with a turn to take: nothing is allocated while nobody has to wait. */
    @Test
    void aBurstAllocatesNothing() {
        Model model = model();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (CpuModel prepared = (CpuModel) new CpuDriver().prepare(model, PrepareOptions.DEFAULT);
                BurstState burst = prepared.openBurst()) {
            ExecutionRequest request = request(model, (byte) 3, new byte[SIZE]);
            long least = Long.MAX_VALUE;
            // The first rounds load classes and are compiled.
            for (int round = 0; round < 2000 && least > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 100; i++) {
                    burst.execute(request);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least, "bytes in 100 executions");
        }
    }

    /**
     * Prepared models may wait long for their first execution, and what they declare between operations may be far
     * larger than their file.
     */
    @Test
    void memoryIsTakenByTheFirstExecution() {
        Model model = model();
        try (CpuModel prepared = (CpuModel) new CpuDriver().prepare(model, PrepareOptions.DEFAULT)) {
            assertEquals(0, prepared.memory().working());
            prepared.execute(request(model, (byte) 1, new byte[SIZE]));
            assertEquals(prepared.program().arenaBytes(), prepared.memory().working());
        }
    }

    /** The product of a column and a row, summed: of two small inputs and a number. */
    private static Model wide(OperandType type) {
        Graphs graph = new Graphs(1, type);
        int column = graph.tensor(1000, 1);
        int row = graph.tensor(1, 1000);
        int product = graph.apply(OperationType.MUL, new int[] {1000, 1000}, column, row, graph.scalar(0));
        int sum = graph.apply(OperationType.REDUCE_SUM, new int[] {1}, product, graph.ints(0, 1), graph.flag(false));
        graph.builder.identifyInputsAndOutputs(new int[] {column, row}, new int[] {sum});
        return graph.builder.finish();
    }

    @ParameterizedTest
    @EnumSource(names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void moreThanTheLimitIsRefusedBeforeAnyExecution(OperandType type) {
        Model model = wide(type);
        long before = MemoryLimit.bytes();
        new CpuDriver().prepare(model, PrepareOptions.DEFAULT).close();
        MemoryLimit.set(1_000_000);
        try {
            NnapiException e =
                    assertThrows(NnapiException.class, () -> new CpuDriver().prepare(model, PrepareOptions.DEFAULT));
            assertEquals(ResultCode.OUT_OF_MEMORY, e.resultCode());
            assertTrue(
                    e.getMessage().contains("values of the model: ")
                            && e.getMessage().contains("at most 1000000 for one thing"),
                    e.getMessage());
        } finally {
            MemoryLimit.set(before);
        }
    }

    @Test
    void withTooLittleRoom() {
        Model model = model();
        try (CpuModel prepared = (CpuModel) new CpuDriver().prepare(model, PrepareOptions.DEFAULT)) {
            ExecutionRequest request = request(model, (byte) 1, new byte[SIZE - 1]);
            assertEquals(
                    ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                    assertThrows(NnapiException.class, () -> prepared.execute(request))
                            .resultCode());
            assertEquals(SIZE, request.outputDimensions(0)[1]);
        }
    }
}
