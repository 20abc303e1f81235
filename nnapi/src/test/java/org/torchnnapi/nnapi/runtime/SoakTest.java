package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/** Many executions at once while a device fails in every way it can: no result is wrong or lost. */
class SoakTest {
    private static final int ROUNDS = 60;
    private static final int THREADS = 4;
    private static final int EXECUTIONS = 25;
    private static final Logger WARNINGS = Logger.getLogger(Device.class.getName());

    private enum Fault {
        NONE {
            @Override
            void strike(ScriptedDriver driver) {}
        },
        FAILURE {
            @Override
            void strike(ScriptedDriver driver) {
                throw new NnapiException(ResultCode.OP_FAILED, "injected");
            }
        },
        EXHAUSTED {
            @Override
            void strike(ScriptedDriver driver) {
                throw new NnapiException(ResultCode.RESOURCE_EXHAUSTED_TRANSIENT, "injected");
            }
        },
        DEATH {
            @Override
            void strike(ScriptedDriver driver) {
                throw new NnapiException(ResultCode.DEAD_OBJECT, "injected");
            }
        },
        CRASH {
            @Override
            void strike(ScriptedDriver driver) {
                throw new ArrayIndexOutOfBoundsException("injected");
            }
        },
        HANG {
            @Override
            void strike(ScriptedDriver driver) {
                driver.hang();
            }
        };

        abstract void strike(ScriptedDriver driver);
    }

    @BeforeEach
    void quiet() {
        WARNINGS.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        WARNINGS.setLevel(null);
    }

    @Test
    void noResultIsWrongOrLost() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Compilation oracle = new CompilationBuilder(Models.chain(2, 0))
                .setAvailable(Devices.of())
                .finish()) {
            for (int round = 0; round < ROUNDS; round++) {
                soak(threads, oracle, Fault.values()[round % Fault.values().length], new Random(round));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void soak(ExecutorService threads, Compilation oracle, Fault fault, Random random) throws Exception {
        ScriptedDriver driver = new ScriptedDriver("faulty", o -> o.type() == OperationType.ADD);
        AtomicInteger count = new AtomicInteger();
        int period = 1 + random.nextInt(40);
        driver.before(request -> {
            if (count.incrementAndGet() % period == 0) {
                fault.strike(driver);
            }
        });
        PlacementRules rules = PlacementRules.NONE.deny("reference", "ADD");
        CompilationBuilder builder = new CompilationBuilder(Models.chain(2, 0))
                .setAvailable(Devices.of(driver))
                .setPlacementRules(rules);
        if (fault == Fault.HANG) {
            builder.setDeviceTimeout(Duration.ofMillis(500));
        }
        AtomicInteger right = new AtomicInteger();
        try (Compilation compilation = builder.finish()) {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                long seed = random.nextLong();
                Callable<Void> worker = () -> {
                    work(compilation, oracle, new Random(seed), right);
                    return null;
                };
                workers.add(threads.submit(worker));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        } finally {
            driver.hang.countDown();
        }
        assertEquals(THREADS * EXECUTIONS, right.get(), fault.name());
        assertTrue(driver.closed.get() <= driver.prepared.get());
        if (fault != Fault.HANG) {
            assertEquals(driver.prepared.get(), driver.closed.get(), "what was prepared is closed");
        }
    }

    private static void work(Compilation compilation, Compilation oracle, Random random, AtomicInteger right) {
        for (int i = 0; i < EXECUTIONS; i++) {
            int size = 1 + random.nextInt(9);
            float[] input = new float[size];
            for (int k = 0; k < size; k++) {
                input[k] = random.nextFloat();
            }
            List<int[]> shape = List.of(new int[] {1, size});
            FloatBuffer expected = (FloatBuffer)
                    oracle.run(List.of(FloatBuffer.wrap(input)), shape).get(0).data();
            FloatBuffer actual = (FloatBuffer) compilation
                    .run(List.of(FloatBuffer.wrap(input)), shape)
                    .get(0)
                    .data();
            for (int k = 0; k < size; k++) {
                assertEquals(expected.get(k), actual.get(k));
            }
            right.incrementAndGet();
        }
    }
}
