package org.torchnnapi.program.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.CacheLines;

class ArenaPlannerTest {
    @Test
    void stretchesAliveTogetherLieApart() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(40);
            int[] sizes = random.ints(count, 1, 500).toArray();
            int[] first = random.ints(count, 0, 30).toArray();
            int[] last = new int[count];
            ArenaPlanner arena = new ArenaPlanner(Float.BYTES);
            for (int i = 0; i < count; i++) {
                last[i] = first[i] + random.nextInt(6);
                arena.add(i, sizes[i], first[i], last[i]);
            }
            arena.plan();
            for (int i = 0; i < count; i++) {
                assertTrue(arena.offset(i) + sizes[i] <= arena.size());
                assertEquals(0, arena.offset(i) * Float.BYTES % CacheLines.BYTES);
                for (int j = 0; j < i; j++) {
                    boolean together = first[i] <= last[j] && first[j] <= last[i];
                    boolean overlap = arena.offset(i) < arena.offset(j) + sizes[j]
                            && arena.offset(j) < arena.offset(i) + sizes[i];
                    assertFalse(together && overlap, "stretches " + i + " and " + j + " of seed " + seed);
                }
            }
        }
    }

    @Test
    void whatFitsThereHasItsMiddleWhereTheLargestHas() {
        ArenaPlanner arena = new ArenaPlanner(1);
        arena.add(0, 1024, 0, 1);
        arena.add(1, 512, 1, 2);
        arena.add(2, 640, 2, 3);
        arena.add(3, 128, 2, 4);
        arena.plan();
        assertEquals(0, arena.offset(0));
        assertEquals(1024, arena.offset(1));
        assertEquals((1024 - 640) / 2, arena.offset(2));
        assertEquals(0, arena.offset(3));
        assertEquals(1024 + 512, arena.size());
    }

    @Test
    void memoryIsTakenAgain() {
        ArenaPlanner arena = new ArenaPlanner(1);
        for (int i = 0; i < 10; i++) {
            arena.add(i, 640, i, i + 1);
        }
        arena.plan();
        assertEquals(2 * 640, arena.size());
        assertEquals(-1, arena.offset(10));
    }
}
