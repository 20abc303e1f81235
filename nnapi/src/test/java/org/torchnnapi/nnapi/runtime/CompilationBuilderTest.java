package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.MemoryPreference;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class CompilationBuilderTest {
    private static final PlacementRules ADD_ELSEWHERE = PlacementRules.NONE.deny("reference", "ADD");

    private final ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type() == OperationType.ADD);

    private CompilationBuilder builder() {
        return new CompilationBuilder(Models.chain(2, 4))
                .setAvailable(Devices.of(npu))
                .setPlacementRules(ADD_ELSEWHERE);
    }

    @Test
    void devicesLearnPriorityAndPreference() {
        builder().finish().close();
        assertEquals(Priority.MEDIUM, npu.lastOptions.priority());
        builder()
                .setPriority(Priority.HIGH)
                .setPreference(Preference.LOW_POWER)
                .finish()
                .close();
        assertEquals(Priority.HIGH, npu.lastOptions.priority());
        assertEquals(Preference.LOW_POWER, npu.lastOptions.preference());
    }

    @Test
    void compilingEndsAtItsDeadline() {
        npu.beforePrepare(m -> {
            while (System.nanoTime() - npu.lastOptions.control().deadline() <= 0) {
                LockSupport.parkNanos(1_000_000);
            }
        });
        // Long enough for a virtual machine that has just started to come to the device.
        CompilationBuilder builder = builder().setTimeout(Duration.ofSeconds(1));
        NnapiException e = assertThrows(NnapiException.class, builder::finish);
        assertEquals(ResultCode.MISSED_DEADLINE_TRANSIENT, e.resultCode());
        assertEquals(1, npu.prepared.get());
        assertEquals(1, npu.closed.get());
    }

    @Test
    void timeoutsArePositive() {
        NnapiException e = assertThrows(NnapiException.class, () -> builder().setTimeout(Duration.ZERO));
        assertEquals(ResultCode.BAD_DATA, e.resultCode());
    }

    @Test
    void placesThatDevicesLikeAreToldByInputAndOutput() {
        npu.memoryPreference(new MemoryPreference(256, 8));
        try (Compilation compilation = builder().finish()) {
            assertEquals(new MemoryPreference(256, 8), compilation.inputPreference(0));
            assertEquals(MemoryPreference.NONE, compilation.outputPreference(0));
            assertEquals(
                    ResultCode.BAD_DATA,
                    assertThrows(NnapiException.class, () -> compilation.inputPreference(1))
                            .resultCode());
        }
        assertThrows(IllegalArgumentException.class, () -> new MemoryPreference(3, 1));
        assertEquals(FeatureLevel.LEVEL_5, Devices.runtimeFeatureLevel());
        assertEquals(FeatureLevel.LEVEL_8, FeatureLevel.ofApiLevel(1000008));
    }
}
