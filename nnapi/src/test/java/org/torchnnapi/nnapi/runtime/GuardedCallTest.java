package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;

class GuardedCallTest {
    private static void awaitClosed(ScriptedDriver driver) throws InterruptedException {
        for (int i = 0; i < 5000 && driver.closed.get() == 0; i++) {
            Thread.sleep(1);
        }
        assertEquals(1, driver.closed.get(), "what nobody waits for is closed");
    }

    /** The driver answers after the wait has ended and before its answer is waived. */
    @Test
    void answerBetweenTimeoutAndWaiverIsClosed() throws InterruptedException {
        ScriptedDriver driver = new ScriptedDriver("slow", operation -> true);
        driver.beforePrepare(model -> driver.hang());
        assertThrows(
                GuardedCall.DeviceHung.class,
                () -> GuardedCall.prepare(
                        driver, Models.doubled(1), PrepareOptions.DEFAULT, TimeUnit.MILLISECONDS.toNanos(20), () -> {
                            driver.hang.countDown();
                            while (driver.prepared.get() == 0) {
                                Thread.onSpinWait();
                            }
                        }));
        awaitClosed(driver);
    }

    @Test
    void answerAfterTheWaiverIsClosed() throws InterruptedException {
        ScriptedDriver driver = new ScriptedDriver("slow", operation -> true);
        driver.beforePrepare(model -> driver.hang());
        assertThrows(
                GuardedCall.DeviceHung.class,
                () -> GuardedCall.prepare(
                        driver, Models.doubled(1), PrepareOptions.DEFAULT, TimeUnit.MILLISECONDS.toNanos(20)));
        driver.hang.countDown();
        awaitClosed(driver);
    }

    @Test
    void answerToAnInterruptedCallerIsClosed() throws InterruptedException {
        ScriptedDriver driver = new ScriptedDriver("slow", operation -> true);
        CountDownLatch asked = new CountDownLatch(1);
        driver.beforePrepare(model -> {
            asked.countDown();
            boolean released = false;
            while (!released) {
                try {
                    driver.hang.await();
                    released = true;
                } catch (InterruptedException e) {
                    // A driver need not heed interruption.
                }
            }
        });
        Throwable[] failure = new Throwable[1];
        Thread caller = new Thread(() -> {
            try {
                GuardedCall.prepare(driver, Models.doubled(1), PrepareOptions.DEFAULT, TimeUnit.MINUTES.toNanos(1));
            } catch (RuntimeException e) {
                failure[0] = e;
            }
        });
        caller.start();
        assertTrue(asked.await(1, TimeUnit.MINUTES));
        caller.interrupt();
        caller.join();
        assertNotNull(failure[0]);
        driver.hang.countDown();
        awaitClosed(driver);
    }

    @Test
    void answerInTimeIsTheCallers() {
        ScriptedDriver driver = new ScriptedDriver("fast", operation -> true);
        PreparedModel prepared =
                GuardedCall.prepare(driver, Models.doubled(1), PrepareOptions.DEFAULT, TimeUnit.MINUTES.toNanos(1));
        assertEquals(0, driver.closed.get());
        prepared.close();
        assertEquals(1, driver.closed.get());
    }
}
