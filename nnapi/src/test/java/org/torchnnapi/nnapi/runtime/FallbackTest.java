package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class FallbackTest {
    private static final PlacementRules ON_NPU = PlacementRules.NONE.only("npu");

    private final List<TraceEvent> trace = new ArrayList<>();

    private CompilationBuilder builder(ScriptedDriver driver, int size) {
        return new CompilationBuilder(Models.doubled(size))
                .setAvailable(Devices.of(driver))
                .setPlacementRules(ON_NPU)
                .setTrace(trace::add);
    }

    private static float[] run(Compilation compilation, float... input) {
        Compilation.Output output =
                compilation.run(List.of(FloatBuffer.wrap(input)), null).get(0);
        float[] values = new float[input.length];
        ((FloatBuffer) output.data()).get(0, values);
        return values;
    }

    private static List<LogRecord> warnings(Runnable action) {
        List<LogRecord> records = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                records.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(Device.class.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            action.run();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        return records;
    }

    @Test
    void failedStepIsFinishedByTheReferenceWithOneWarning() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
            throw new NnapiException(ResultCode.OP_FAILED, "broken");
        });
        try (Compilation compilation = builder(npu, 2).finish()) {
            List<LogRecord> warnings = warnings(() -> {
                assertEquals(6f, run(compilation, 1, 3)[1]);
                assertEquals(8f, run(compilation, 1, 4)[1]);
            });
            assertEquals(1, warnings.size());
            assertTrue(
                    warnings.get(0).getMessage().contains("npu"),
                    warnings.get(0).getMessage());
        }
        assertEquals(1, npu.executed.get(), "what failed is not tried again");
        assertEquals(
                2,
                trace.stream().filter(e -> e.kind() == TraceEvent.Kind.FALLBACK).count());
        assertEquals(1, npu.closed.get());
    }

    @Test
    void whatADeviceHasNoRoomForIsToldBeforeASlowerOneBegins() {
        for (ResultCode code : List.of(ResultCode.OUT_OF_MEMORY, ResultCode.RESOURCE_EXHAUSTED_TRANSIENT)) {
            ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
                throw new NnapiException(code, "no room");
            });
            try (Compilation compilation = builder(npu, 1).finish()) {
                List<LogRecord> warnings = warnings(() -> assertEquals(2f, run(compilation, 1)[0]));
                assertEquals(1, warnings.size());
                String told = warnings.get(0).getMessage();
                assertTrue(
                        told.contains("npu") && told.contains("no room") && told.contains("which may take long"), told);
            }
        }
    }

    @Test
    void crashInADriverIsSurvived() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
            throw new IllegalStateException("segmentation fault");
        });
        try (Compilation compilation = builder(npu, 1).finish()) {
            warnings(() -> assertEquals(2f, run(compilation, 1)[0]));
        }
    }

    @Test
    void hungDeviceIsLeftBehindForAWhile() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        npu.before(r -> npu.hang());
        AtomicLong now = new AtomicLong();
        Devices devices = Devices.of(now::get, npu);
        try (Compilation compilation = builder(npu, 1)
                .setAvailable(devices)
                .setDeviceTimeout(Duration.ofMillis(20))
                .finish()) {
            List<LogRecord> warnings = warnings(() -> assertEquals(2f, run(compilation, 1)[0]));
            assertEquals(1, warnings.size());
            assertTrue(devices.find("npu").fenced().contains("hung"));
        } finally {
            npu.hang.countDown();
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(30));
        assertNull(devices.find("npu").fenced());
        npu.before(r -> {});
        try (Compilation again = builder(npu, 1).setAvailable(devices).finish()) {
            int before = npu.executed.get();
            assertEquals(2f, run(again, 1)[0]);
            assertEquals(before + 1, npu.executed.get());
        }
    }

    @Test
    void failureConcernsOnePlan() {
        for (RuntimeException failure :
                List.of(new NnapiException(ResultCode.OP_FAILED, "broken"), new IllegalStateException("crash"))) {
            ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
                throw failure;
            });
            Devices devices = Devices.of(npu);
            try (Compilation failing = builder(npu, 1).setAvailable(devices).finish();
                    Compilation sound = builder(npu, 1).setAvailable(devices).finish()) {
                warnings(() -> assertEquals(2f, run(failing, 1)[0]));
                assertNull(devices.find("npu").fenced());
                npu.before(r -> {});
                assertEquals(2f, run(sound, 1)[0]);
                assertEquals(2, npu.executed.get());
                assertEquals(2f, run(failing, 1)[0]);
                assertEquals(2, npu.executed.get(), "what failed stays with the reference");
            }
        }
    }

    @Test
    void deadDeviceGetsNoWorkUntilAWhileHasPassed() {
        AtomicLong now = new AtomicLong();
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
            throw new NnapiException(ResultCode.DEAD_OBJECT, "gone");
        });
        Devices devices = Devices.of(now::get, npu);
        Device device = devices.find("npu");
        for (long nanos = TimeUnit.SECONDS.toNanos(30), round = 0; round < 3; nanos *= 2, round++) {
            try (Compilation dying = builder(npu, 1).setAvailable(devices).finish();
                    Compilation other = builder(npu, 1).setAvailable(devices).finish()) {
                int before = npu.executed.get();
                List<LogRecord> warnings = warnings(() -> assertEquals(2f, run(dying, 1)[0]));
                assertEquals(round == 0 ? 1 : 0, warnings.size(), "told once");
                assertTrue(device.fenced().contains("gone"));
                assertEquals(2f, run(other, 1)[0]);
                assertEquals(before + 1, npu.executed.get());
                now.addAndGet(nanos - 1);
                assertNotNull(device.fenced());
                now.addAndGet(1);
                assertNull(device.fenced());
            }
        }
        npu.before(r -> {});
        try (Compilation again = builder(npu, 1).setAvailable(devices).finish()) {
            int before = npu.executed.get();
            assertEquals(2f, run(again, 1)[0]);
            assertEquals(before + 1, npu.executed.get());
        }
    }

    @Test
    void guardedDeviceThatAnswersIsUsed() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        try (Compilation compilation =
                builder(npu, 3).setDeviceTimeout(Duration.ofSeconds(20)).finish()) {
            assertEquals(6f, run(compilation, 1, 2, 3)[2]);
        }
        assertEquals(
                0,
                trace.stream().filter(e -> e.kind() == TraceEvent.Kind.FALLBACK).count());
    }

    @Test
    void withoutFallbackTheFailureIsTheCallers() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
            throw new NnapiException(ResultCode.RESOURCE_EXHAUSTED_PERSISTENT, "full");
        });
        try (Compilation compilation = builder(npu, 1).setFallback(false).finish()) {
            NnapiException e = assertThrows(NnapiException.class, () -> run(compilation, 1));
            assertEquals(ResultCode.RESOURCE_EXHAUSTED_PERSISTENT, e.resultCode());
        }
    }

    @Test
    void transientFailureIsNotHeldAgainstTheDevice() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).before(r -> {
            throw new NnapiException(ResultCode.RESOURCE_EXHAUSTED_TRANSIENT, "busy");
        });
        Devices devices = Devices.of(npu);
        try (Compilation compilation = builder(npu, 1).setAvailable(devices).finish()) {
            assertEquals(2f, run(compilation, 1)[0]);
            assertNull(devices.find("npu").fenced());
        }
    }

    @Test
    void deviceThatCannotPrepareIsReplaced() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).beforePrepare(m -> {
            throw new UnsatisfiedLinkError("no library");
        });
        Devices devices = Devices.of(npu);
        warnings(() -> {
            try (Compilation compilation = new CompilationBuilder(Models.doubled(100_000))
                    .setAvailable(devices)
                    .finish()) {
                assertEquals(
                        "reference", compilation.placement().operations().get(0).device());
                Placement.Alternative other =
                        compilation.placement().operations().get(0).others().get(0);
                assertTrue(other.reason().contains("no library"), other.reason());
            }
        });
        assertNull(devices.find("npu").fenced());
    }

    @Test
    void deviceKeepsTheRestOfAModelThatItFailsAtInPart() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true).beforePrepare(m -> {
            if (m.operations().size() > 1) {
                throw new NnapiException(ResultCode.OP_FAILED, "two at once");
            }
        });
        Devices devices = Devices.of(npu, new ScriptedDriver("other", o -> o.type() == OperationType.ADD));
        PlacementRules rules = PlacementRules.NONE
                .deny("npu", "ADD#2")
                .deny("reference", "SOFTMAX#3")
                .deny("reference", "ADD#2")
                .deny("other", "ADD#0");
        List<LogRecord> warnings = warnings(() -> {
            try (Compilation compilation = new CompilationBuilder(Models.chain(2, 100_000))
                    .setAvailable(devices)
                    .setPlacementRules(rules)
                    .finish()) {
                assertEquals(
                        List.of("reference", "reference", "other", "npu"),
                        compilation.placement().operations().stream()
                                .map(Placement.OperationPlacement::device)
                                .toList());
            }
        });
        assertEquals(1, warnings.size());
        assertNull(devices.find("npu").fenced());
    }

    @Test
    void deviceThatHangsWhilePreparingIsReplaced() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        npu.beforePrepare(m -> npu.hang());
        Devices devices = Devices.of(npu);
        warnings(() -> {
            try (Compilation compilation = new CompilationBuilder(Models.doubled(100_000))
                    .setAvailable(devices)
                    .setDeviceTimeout(Duration.ofMillis(20))
                    .finish()) {
                assertEquals(
                        "reference", compilation.placement().operations().get(0).device());
            } finally {
                npu.hang.countDown();
            }
        });
        assertTrue(devices.find("npu").fenced().contains("hung"));
    }
}
