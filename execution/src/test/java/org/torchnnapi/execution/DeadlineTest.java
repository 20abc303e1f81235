package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.platform.Interruption;

class DeadlineTest {
    private static final Duration SHORT = Duration.ofMillis(1);

    @Test
    void workThatIsDoneInTimeGivesWhatItGives() throws IOException {
        assertEquals(3, Deadline.within(Duration.ofDays(1), "work", () -> 3));
        assertEquals(3, Deadline.within(null, "work", () -> 3));
        IOException failure = new IOException("none");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> Deadline.within(Duration.ofDays(1), "work", () -> {
                            throw failure;
                        })));
    }

    @Test
    void workThatTakesLongerIsInterruptedOnce() {
        DeadlineException late = assertThrows(
                DeadlineException.class, () -> Deadline.within(SHORT, "work", DeadlineTest::untilInterrupted));
        assertEquals("work: not done after 1 ms (expected: less work, or a later deadline)", late.getMessage());
        assertFalse(Thread.currentThread().isInterrupted());
    }

    @Test
    void whatTookTheInterruptForAnotherFailureIsLateToo() {
        assertThrows(
                DeadlineException.class,
                () -> Deadline.within(
                        SHORT, "work", () -> assertThrows(RuntimeException.class, () -> untilInterrupted())));
    }

    private static Object untilInterrupted() {
        while (true) {
            Interruption.check();
        }
    }
}
