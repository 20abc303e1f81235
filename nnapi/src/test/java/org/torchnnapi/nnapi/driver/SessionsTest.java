package org.torchnnapi.nnapi.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private final Sessions<Object> sessions = new Sessions<>(Object::new);

    @Test
    void oneForEachAtTheSameTimeAndAgainForTheNext() {
        Object first = sessions.take();
        Object second = sessions.take();
        assertNotSame(first, second);
        assertEquals(2, sessions.count());
        sessions.giveBack(first, true);
        assertSame(first, sessions.take());
        assertEquals(2, sessions.count());
    }

    @Test
    void whatFailedIsForgotten() {
        Object failed = sessions.take();
        sessions.giveBack(failed, false);
        assertEquals(0, sessions.count());
        assertNotSame(failed, sessions.take());
    }

    @Test
    void noMoreWaitThanThereAreProcessors() {
        int most = Runtime.getRuntime().availableProcessors();
        List<Object> taken = new ArrayList<>();
        for (int i = 0; i < most + 3; i++) {
            taken.add(sessions.take());
        }
        taken.forEach(session -> sessions.giveBack(session, true));
        List<Object> waiting = new ArrayList<>();
        sessions.forEachWaiting(waiting::add);
        assertEquals(most, waiting.size());
        assertEquals(most, sessions.count());
        sessions.clear();
        assertEquals(0, sessions.count());
    }

    @Test
    void aSessionThatCannotBeMadeIsNotCounted() {
        Sessions<Object> none = new Sessions<>(() -> {
            throw new IllegalStateException("no memory");
        });
        assertThrows(IllegalStateException.class, none::take);
        assertEquals(0, none.count());
    }
}
