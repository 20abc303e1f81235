package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.MemoryLimit;

class PlanRunTest {
    /**
     * Values between steps come through whether they share one arena, lie in several chunks or are too large for a
     * chunk.
     */
    @Test
    void valuesTooLargeForAnArenaReachTheirReaders() {
        float[] input = new float[100];
        for (int i = 0; i < input.length; i++) {
            input[i] = i % 7;
        }
        FloatBuffer expected = run(1 << 20, input);
        for (long chunk : new long[] {64, 448, 512}) {
            FloatBuffer actual = run(chunk, input);
            for (int i = 0; i < input.length; i++) {
                assertEquals(expected.get(i), actual.get(i), "chunks of " + chunk);
            }
        }
    }

    /** An execution that gets no memory is over: what was prepared is closed with the compilation. */
    @Test
    void valuesBeyondTheLimitAreRefusedAndLeaveNothingBehind() {
        ScriptedDriver adder = new ScriptedDriver("adder", operation -> operation.type() == OperationType.ADD);
        CompilationBuilder builder = new CompilationBuilder(Models.chain(4, 100))
                .setAvailable(Devices.of(adder))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "ADD"));
        long before = MemoryLimit.bytes();
        try (Compilation compilation = builder.finish()) {
            MemoryLimit.set(100);
            NnapiException e = assertThrows(NnapiException.class, execution(compilation)::compute);
            assertEquals(ResultCode.OUT_OF_MEMORY, e.resultCode());
        } finally {
            MemoryLimit.set(before);
        }
        assertEquals(4, adder.closed.get());
    }

    /** Where nothing computes but the reference device as well. */
    @Test
    void theReferenceDeviceTakesMemoryWhenItExecutes() {
        long before = MemoryLimit.bytes();
        MemoryLimit.set(100);
        try (Compilation compilation = new CompilationBuilder(Models.chain(4, 100))
                .setAvailable(Devices.of())
                .finish()) {
            NnapiException e = assertThrows(NnapiException.class, execution(compilation)::compute);
            assertEquals(ResultCode.OUT_OF_MEMORY, e.resultCode());
            assertTrue(e.getMessage().contains("at most 100 for one thing"), e.getMessage());
        } finally {
            MemoryLimit.set(before);
        }
    }

    private static Execution execution(Compilation compilation) {
        Execution execution = compilation.createExecution();
        execution.setInput(0, FloatBuffer.allocate(100));
        execution.setOutput(0, FloatBuffer.allocate(100));
        return execution;
    }

    private static FloatBuffer run(long chunk, float[] input) {
        ScriptedDriver adder = new ScriptedDriver("adder", operation -> operation.type() == OperationType.ADD);
        CompilationBuilder builder = new CompilationBuilder(Models.chain(4, input.length))
                .setAvailable(Devices.of(adder))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "ADD"));
        builder.arenaChunkBytes = chunk;
        try (Compilation compilation = builder.finish()) {
            assertEquals(8, compilation.partitionCount());
            return (FloatBuffer) compilation
                    .run(List.of(FloatBuffer.wrap(input)), null)
                    .get(0)
                    .data();
        }
    }
}
