package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class PlanRunTest {
    /** Values between steps come through whether they share one arena, lie in several chunks or are too large for a chunk. */
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

    private static FloatBuffer run(long chunk, float[] input) {
        ScriptedDriver adder = new ScriptedDriver("adder", operation -> operation.type() == OperationType.ADD);
        CompilationBuilder builder = new CompilationBuilder(Models.chain(4, input.length)).setAvailable(Devices.of(adder))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "ADD"));
        builder.arenaChunkBytes = chunk;
        try (Compilation compilation = builder.finish()) {
            assertEquals(8, compilation.partitionCount());
            return (FloatBuffer) compilation.run(List.of(FloatBuffer.wrap(input)), null).get(0).data();
        }
    }
}
