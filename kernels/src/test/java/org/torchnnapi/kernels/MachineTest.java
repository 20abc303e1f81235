package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Machine.Cores;

class MachineTest {
    private static final Cores BIG = new Cores(1, 1, 64 << 10, 1 << 20);
    private static final Cores MIDDLE = new Cores(3, 0.78, 32 << 10, 512 << 10);
    private static final Cores LITTLE = new Cores(4, 0.3, 32 << 10, 128 << 10);
    private static final Machine PHONE = new Machine(List.of(BIG, MIDDLE, LITTLE), 4 << 20, 64);

    @Test
    void thisOneHasWhatEveryMachineHas() {
        Machine machine = Machine.current();
        assertSame(machine, Machine.current());
        assertTrue(machine.processors() >= 1
                && machine.processors() <= Runtime.getRuntime().availableProcessors());
        assertTrue(machine.threads() >= 1 && machine.threads() <= machine.processors());
        assertTrue(machine.shares() >= machine.threads());
        assertTrue(machine.firstCache() >= 4 << 10, machine.describe());
        assertTrue(machine.secondCache() >= 16 << 10, machine.describe());
        assertTrue(Kernels.vectorLanes() >= 1 && Kernels.vectorRegisters() >= 16);
    }

    @Test
    void cachesAreThoseThatEveryCoreThatComputesHas() {
        assertEquals(8, PHONE.processors());
        assertEquals(32 << 10, PHONE.firstCache());
        assertEquals(512 << 10, PHONE.secondCache());
    }

    @Test
    void slowCoresComputeOnlyWhereTheyHelpMuch() {
        assertEquals(4, PHONE.threads());
        assertEquals(64, PHONE.shares(), "for a fast one and three that are less so");
        Machine few = new Machine(
                List.of(new Cores(2, 1, 64 << 10, 256 << 10), new Cores(6, 0.3, 32 << 10, 128 << 10)), 2 << 20, 64);
        assertEquals(8, few.threads());
        assertEquals(128 << 10, few.secondCache());
        assertTrue(few.isUneven(3) && !few.isUneven(2));
        Machine many = new Machine(
                List.of(new Cores(6, 1, 64 << 10, 256 << 10), new Cores(2, 0.3, 32 << 10, 128 << 10)), 2 << 20, 64);
        assertEquals(6, many.threads());
        assertEquals(24, many.shares());
    }

    @Test
    void equalCoresAllCompute() {
        for (int cores : new int[] {1, 2, 8, 96}) {
            Machine machine = new Machine(List.of(new Cores(cores, 1, 32 << 10, 1 << 20)), 8 << 20, 64);
            assertEquals(cores, machine.threads());
            assertEquals(Math.max(cores, Math.min(64, 4 * cores)), machine.shares());
            assertTrue(!machine.isUneven(cores + 1));
        }
    }

    @Test
    void isDescribedInALine() {
        assertEquals(
                "1 core of speed 1.00 (caches of 64 KiB and 1 MiB), 3 cores of speed 0.78 (caches of 32 KiB and 512"
                        + " KiB), 4 cores of speed 0.30 (caches of 32 KiB and 128 KiB), third cache of 4 MiB, lines of"
                        + " 64 bytes",
                PHONE.describe());
        assertEquals(
                "2 cores (caches of 48000 bytes and 1 MiB), third cache of 8 MiB, lines of 64 bytes",
                new Machine(List.of(new Cores(2, 1, 48_000, 1 << 20)), 8 << 20, 64).describe());
    }

    @Test
    void refusesWhatNoMachineIs() {
        assertThrows(IllegalArgumentException.class, () -> new Machine(List.of(), 1, 64));
        assertThrows(IllegalArgumentException.class, () -> new Machine(List.of(LITTLE, BIG), 1, 64));
        assertThrows(IllegalArgumentException.class, () -> new Cores(0, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Cores(1, 1, 0, 1));
        assertEquals(
                "speed: 1.5 (expected: above 0 and at most 1)",
                assertThrows(IllegalArgumentException.class, () -> new Cores(1, 1.5, 1, 1))
                        .getMessage());
    }
}
