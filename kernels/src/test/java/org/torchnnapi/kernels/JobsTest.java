package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Jobs.Job;

class JobsTest {
    /** Each job adds up what those it needs have made, so a job done too early, twice or never gives another result. */
    @Test
    void doesEachJobOnceWhenItsNeedsAreDone() {
        Random random = new Random(3);
        for (int count : new int[] {0, 1, 2, 7, 60}) {
            long[] made = new long[count];
            long[] expected = new long[count];
            List<Job> list = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int job = i;
                int[] needs = i == 0
                        ? new int[0]
                        : random.ints(random.nextInt(3), 0, i).toArray();
                expected[i] = 1 + sum(expected, needs);
                list.add(new Job(() -> made[job] += 1 + sum(made, needs), needs));
            }
            Jobs jobs = new Jobs(list);
            for (int threads = 1; threads <= 3; threads++) {
                try (KernelPool pool = new KernelPool(threads)) {
                    for (int again = 0; again < 50; again++) {
                        Arrays.fill(made, 0);
                        jobs.reset();
                        pool.run(4, (begin, end) -> jobs.work());
                        assertArrayEquals(expected, made, count + " jobs, " + threads + " threads");
                    }
                }
            }
        }
    }

    private static long sum(long[] values, int[] at) {
        long sum = 0;
        for (int i : at) {
            sum += values[i];
        }
        return sum % 1_000_003;
    }

    @Test
    void whatAJobThrowsEndsTheWork() {
        IllegalStateException thrown = new IllegalStateException("boom");
        AtomicInteger later = new AtomicInteger();
        Jobs jobs = new Jobs(List.of(
                new Job(() -> {
                    throw thrown;
                }),
                new Job(later::getAndIncrement, 0)));
        try (KernelPool pool = new KernelPool(2)) {
            for (int again = 0; again < 20; again++) {
                jobs.reset();
                assertSame(
                        thrown,
                        assertThrows(IllegalStateException.class, () -> pool.run(2, (begin, end) -> jobs.work())));
            }
        }
        assertEquals(0, later.get());
    }

    @Test
    void jobsNeedThoseBeforeThem() {
        assertEquals(
                "job 0 needs job 0 (expected: one before it)",
                assertThrows(IllegalArgumentException.class, () -> new Jobs(List.of(new Job(() -> {}, 0))))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> new Jobs(List.of(new Job(() -> {}, -1))));
    }
}
