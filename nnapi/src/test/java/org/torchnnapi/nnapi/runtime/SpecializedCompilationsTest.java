package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;

class SpecializedCompilationsTest {
    private static SpecializedCompilations of(int size, int most) {
        return new SpecializedCompilations(
                Models.doubled(size), most, model -> new CompilationBuilder(model).setAvailable(Devices.of()));
    }

    private static float last(SpecializedCompilations compilations, float... values) {
        Compilation.Output output = compilations
                .run(List.of(FloatBuffer.wrap(values)), List.of(new int[] {values.length}))
                .get(0);
        assertEquals(values.length, output.dimensions()[0]);
        return ((FloatBuffer) output.data()).get(values.length - 1);
    }

    @Test
    void shapesAlternateInSeveralThreadsWhereOneIsKept() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (SpecializedCompilations compilations = of(0, 1)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int seed = t;
                workers.add(threads.submit(() -> {
                    for (int i = 0; i < 300; i++) {
                        float[] values = new float[1 + (i + seed) % 3];
                        values[values.length - 1] = i;
                        assertEquals(2f * i, last(compilations, values));
                    }
                }));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
            assertTrue(compilations.all().size() <= 1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void eachShapeIsCompiledForItself() {
        SpecializedCompilations compilations = of(0, 4);
        last(compilations, 1, 2);
        last(compilations, 1);
        last(compilations, 1, 2);
        assertEquals(
                List.of(1, 2),
                compilations.all().stream()
                        .map(c -> c.model().input(0).descriptor().dimension(0))
                        .toList());
        compilations.close();
        assertThrows(NnapiException.class, () -> last(compilations, 1));
    }

    @Test
    void modelOfKnownShapesIsCompiledAtOnce() {
        try (SpecializedCompilations compilations = of(2, 4)) {
            Compilation only = compilations.all().get(0);
            assertEquals(8f, last(compilations, 3, 4));
            assertEquals(List.of(only), compilations.all());
        }
    }
}
