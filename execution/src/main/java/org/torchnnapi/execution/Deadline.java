package org.torchnnapi.execution;

import java.time.Duration;
import org.torchnnapi.tensor.platform.TimeLimit;

/**
 * Ends work of this library that takes longer than it may: calls, and conversions, quantizations, optimizations and
 * pages, whose passes and layouts look at the time between their steps.
 */
public final class Deadline {
    /** Work that gives something, and may fail. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    private Deadline() {}

    /**
     * Does work on this thread, which is interrupted once the time is over. What is half done is thrown away; modules
     * that took part may be used again.
     *
     * @param limit null for none
     * @param what the work is, for the message
     * @throws DeadlineException if it was not done in time
     */
    public static <T, E extends Exception> T within(Duration limit, String what, Work<T, E> work) throws E {
        if (limit == null) {
            return work.run();
        }
        TimeLimit time = new TimeLimit(limit);
        try (time) {
            T done = work.run();
            // What failed because of the limit may have been taken for a model that does not run.
            if (time.isOver()) {
                throw new DeadlineException(what, limit, null);
            }
            return done;
        } catch (DeadlineException e) {
            throw e;
        } catch (Exception e) {
            if (time.isOver()) {
                throw new DeadlineException(what, limit, e);
            }
            throw e;
        }
    }
}
