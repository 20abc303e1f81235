package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.KernelPool;

class StepTest {
    @Test
    void joinedUnitsAreAllDoneOnce() {
        for (int units : new int[] {1, 2, 7, 12, 36, 61}) {
            for (long work : new long[] {0, 1 << 14, 1 << 16, 100_000, 1 << 20}) {
                int[] done = new int[units];
                Step step = new Step(units, memory -> (begin, end) -> {
                            for (int i = begin; i < end; i++) {
                                done[i]++;
                            }
                        })
                        .joined(work);
                KernelPool.Task task = step.binding().to(null);
                for (int i = 0; i < step.units(); i++) {
                    task.run(i, i + 1);
                }
                for (int unit : done) {
                    assertEquals(1, unit);
                }
            }
        }
    }

    @Test
    void aWholeStepDoesAllUnitsAtOnce() {
        int[] ranges = {0, 0, 0};
        Step step = new Step(7, true, memory -> (begin, end) -> {
                    ranges[0]++;
                    ranges[1] = begin;
                    ranges[2] = end;
                })
                .whole();
        assertEquals(1, step.units());
        step.binding().to(null).run(0, 1);
        assertArrayEquals(new int[] {1, 0, 7}, ranges);
        assertSame(step, step.whole());
    }

    @Test
    void roundsFollowEachOther() {
        StringBuilder done = new StringBuilder();
        Step step = Step.rounds(
                3,
                2,
                memory -> (round, begin, end) ->
                        done.append(round).append(begin).append(end).append(' '));
        assertEquals(3, step.rounds());
        assertSame(step, step.joined(0));
        Step.Rounds work = (Step.Rounds) step.binding().to(null);
        work.round(1).run(0, 1);
        work.run(0, 2);
        assertEquals("101 002 102 202 ", done.toString());
        assertEquals(1, Step.rounds(3, 1, memory -> (round, begin, end) -> {}).rounds());
    }

    @Test
    void littleWorkIsNotDivided() {
        Step step = new Step(36, memory -> (begin, end) -> {});
        assertEquals(1, step.joined(60_000).units());
        assertEquals(2, step.joined(70_000).units());
        assertSame(step, step.joined(36L << 15));
        Step none = new Step(0, memory -> (begin, end) -> {});
        assertSame(none, none.joined(0));
        assertEquals(1, step.joinedChannels(4_000).units());
        assertSame(step, step.joinedChannels(36L << 11));
    }

    @Test
    void whatIsKeptIsOfOneImage() {
        for (int batch : new int[] {1, 3}) {
            int[] done = new int[batch * 5];
            boolean[] kept = new boolean[batch * 5];
            Step step = Step.keeping(batch, 5, memory -> (image, begin, end, again) -> {
                for (int i = image * 5 + begin; i < image * 5 + end; i++) {
                    done[i]++;
                    kept[i] = again;
                }
            });
            assertEquals(batch * 5, step.units());
            KernelPool.Task task = step.binding().to(null);
            task.run(0, 2);
            task.again(4, batch * 5);
            task.resume(2, 4);
            for (int i = 0; i < done.length; i++) {
                assertEquals(1, done[i]);
                assertEquals(batch == 1 && i >= 2, kept[i]);
            }
        }
    }

    /** Rows of the image before are no rows of this one. */
    @Test
    void bandsAreGoneOnWithInAnImageAlone() {
        StringBuilder done = new StringBuilder();
        Step step = Step.bands(
                3,
                5,
                memory -> (image, begin, end, resumed) -> done.append(image)
                        .append(':')
                        .append(begin)
                        .append('-')
                        .append(end)
                        .append(resumed ? " resumed " : " "));
        assertEquals(15, step.units());
        KernelPool.Task task = step.binding().to(null);
        task.run(0, 3);
        task.resume(3, 12);
        task.resume(12, 15);
        task.resume(5, 6);
        task.run(13, 14);
        assertEquals("0:0-3 0:3-5 resumed 1:0-5 2:0-2 2:2-5 resumed 1:0-1 2:3-4 ", done.toString());
    }
}
