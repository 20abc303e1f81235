package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WaitingTest {
    @Test
    void spinsForATimeAndAnewForSomethingElse() {
        Waiting waiting = new Waiting();
        waiting.turn();
        assertTrue(waiting.spins());
        while (waiting.spins()) {
            waiting.turn();
        }
        waiting.turn();
        assertFalse(waiting.spins(), "once it has let others go on it spins no more");
        waiting.again();
        waiting.turn();
        assertTrue(waiting.spins());
    }
}
