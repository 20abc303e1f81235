package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

class EventTest {
    /** Signalled by the test. */
    private static final class Gate implements Fence {
        private final CountDownLatch open = new CountDownLatch(1);
        private final ResultCode code;

        Gate(ResultCode code) {
            this.code = code;
        }

        @Override
        public void await() {
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new NnapiException(ResultCode.OP_FAILED, "interrupted", e);
            }
            if (code != ResultCode.NO_ERROR) {
                throw new NnapiException(code, "gate");
            }
        }

        @Override
        public boolean isSignaled() {
            return open.getCount() == 0;
        }

        @Override
        public int export() {
            return 42;
        }
    }

    private static Execution execution(Compilation compilation, float[] in, float[] out) {
        Execution execution = compilation.createExecution();
        execution.setInput(0, FloatBuffer.wrap(in));
        execution.setOutput(0, FloatBuffer.wrap(out));
        return execution;
    }

    @Test
    void executionsWaitForWhatTheirDependenciesWrite() {
        for (boolean byDevice : new boolean[] {false, true}) {
            ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
            if (byDevice) {
                npu.takesFences();
            }
            try (Compilation compilation = new CompilationBuilder(Models.doubled(1))
                    .setAvailable(Devices.of(npu))
                    .setPlacementRules(PlacementRules.NONE.only("npu"))
                    .finish()) {
                float[] between = {-100};
                float[] out = {0};
                Gate gate = new Gate(ResultCode.NO_ERROR);
                Event first = execution(compilation, new float[] {3}, between)
                        .startComputeWithDependencies(List.of(Event.of(gate)), null);
                Event second = execution(compilation, between, out).startComputeWithDependencies(List.of(first), null);
                assertFalse(first.fence().isSignaled());
                assertFalse(second.isDone());
                gate.open.countDown();
                second.fence().await();
                assertEquals(12, out[0]);
                assertTrue(first.fence().isSignaled());
            }
        }
    }

    @Test
    void failureOfADependencyIsTheWaitersToo() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        try (Compilation compilation = new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of(npu))
                .finish()) {
            Gate gate = new Gate(ResultCode.DEAD_OBJECT);
            gate.open.countDown();
            Event event = execution(compilation, new float[1], new float[1])
                    .startComputeWithDependencies(List.of(Event.of(gate)), null);
            assertEquals(
                    ResultCode.OP_FAILED,
                    assertThrows(NnapiException.class, event::await).resultCode());
        }
    }

    @Test
    void fencesOfDevicesAreExported() {
        assertEquals(42, Event.of(new Gate(ResultCode.NO_ERROR)).fence().export());
        try (Compilation compilation = new CompilationBuilder(Models.doubled(1))
                .setAvailable(Devices.of())
                .finish()) {
            Event event = execution(compilation, new float[1], new float[1]).startCompute();
            event.await();
            assertEquals(-1, event.fence().export());
        }
    }

    @Test
    void timesOfStepsAddUp() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type().name().equals("ADD"))
                .before(request -> request.reportHardwareNanos(7));
        ScriptedDriver other = new ScriptedDriver("other", o -> o.type().name().equals("SOFTMAX"))
                .before(request -> request.reportHardwareNanos(5));
        try (Compilation compilation = new CompilationBuilder(Models.chain(2, 2))
                .setAvailable(Devices.of(npu, other))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "*"))
                .finish()) {
            Execution execution = execution(compilation, new float[2], new float[2]);
            execution.setMeasureTiming(true);
            execution.compute();
            assertEquals(24, execution.hardwareNanos());
            assertTrue(execution.driverNanos() > 0);
            other.before(request -> {});
            Execution untold = execution(compilation, new float[2], new float[2]);
            untold.setMeasureTiming(true);
            untold.compute();
            assertEquals(-1, untold.hardwareNanos(), "one device does not tell");
        }
    }
}
