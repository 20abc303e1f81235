package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class StridedAxesTest {
    @Test
    void axesThatRunOnInBothTensorsAreOne() {
        check(
                new int[] {24},
                new int[] {1},
                new int[] {1},
                new StridedAxes(new int[] {2, 1, 3, 4}, new int[] {12, 7, 4, 1}, new int[] {12, 9, 4, 1}));
        check(
                new int[] {2, 12},
                new int[] {12, 1},
                new int[] {20, 1},
                new StridedAxes(new int[] {2, 3, 4}, new int[] {12, 4, 1}, new int[] {20, 4, 1}));
        check(
                new int[] {6, 4},
                new int[] {8, 1},
                new int[] {4, 1},
                new StridedAxes(new int[] {2, 3, 4}, new int[] {24, 8, 1}, new int[] {12, 4, 1}));
        check(new int[0], new int[0], new int[0], new StridedAxes(new int[] {1, 1}, new int[] {5, 1}, new int[] {1, 1
        }));
    }

    private static void check(int[] extents, int[] inSteps, int[] outSteps, StridedAxes axes) {
        StridedAxes merged = axes.merged();
        assertArrayEquals(extents, merged.extents());
        assertArrayEquals(inSteps, merged.inSteps());
        assertArrayEquals(outSteps, merged.outSteps());
    }

    @Test
    void mergingMovesNoElement() {
        Random random = new Random(5);
        for (int attempt = 0; attempt < 200; attempt++) {
            int[] extents = random.ints(1 + random.nextInt(5), 1, 4).toArray();
            int[] room = extents.clone();
            room[random.nextInt(room.length)] += random.nextInt(2);
            StridedAxes axes = new StridedAxes(extents, StridedAxes.steps(room), StridedAxes.steps(extents));
            StridedAxes merged = axes.merged();
            int count = extents[0] * axes.outSteps()[0];
            for (int i = 0; i < count; i++) {
                assertEquals(place(i, axes, axes.inSteps()), place(i, merged, merged.inSteps()));
                assertEquals(i, place(i, merged, merged.outSteps()));
            }
        }
    }

    private static int place(int number, StridedAxes axes, int[] steps) {
        return StridedAxes.place(number, axes.extents(), axes.extents().length, steps);
    }

    @Test
    void placesOfRowsLeaveOutTheInnermostAxis() {
        assertEquals(2 * 100 + 10, StridedAxes.place(7, new int[] {3, 3, 5}, 2, new int[] {100, 10, 1}));
    }
}
