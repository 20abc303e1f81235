package org.torchnnapi.nnapi.driver;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What one execution at a time of a prepared model needs: one session for each that runs at the same time, kept for the
 * next. As many wait as the machine has processors, for more never run at the same time for long; taking and giving
 * back one that waits allocates nothing.
 *
 * @param <S> what an execution needs
 */
public final class Sessions<S> {
    private final Supplier<S> maker;
    private final ArrayDeque<S> waiting = new ArrayDeque<>();
    private final int most = Runtime.getRuntime().availableProcessors();
    private int running;

    /** @param maker makes a session where none waits, on the thread that wants it */
    public Sessions(Supplier<S> maker) {
        this.maker = maker;
    }

    /** A session that nobody else uses until it is given back. What the maker throws comes through. */
    public S take() {
        synchronized (waiting) {
            running++;
            S session = waiting.poll();
            if (session != null) {
                return session;
            }
        }
        S made = null;
        try {
            made = maker.get();
            return made;
        } finally {
            if (made == null) {
                giveBack(null, false);
            }
        }
    }

    /** @param fit whether it can serve another execution: a session that failed halfway may not be worth trusting */
    public void giveBack(S session, boolean fit) {
        synchronized (waiting) {
            running--;
            if (fit && waiting.size() < most) {
                waiting.push(session);
            }
        }
    }

    /** Does something with each session that waits, while none of them can be taken. */
    public void forEachWaiting(Consumer<? super S> action) {
        synchronized (waiting) {
            waiting.forEach(action);
        }
    }

    /** How many sessions there are, waiting and in use. */
    public int count() {
        synchronized (waiting) {
            return running + waiting.size();
        }
    }

    /** Forgets the sessions that wait. */
    public void clear() {
        synchronized (waiting) {
            waiting.clear();
        }
    }
}
