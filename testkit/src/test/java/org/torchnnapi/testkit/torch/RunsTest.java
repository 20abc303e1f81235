package org.torchnnapi.testkit.torch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RunsTest {
    @Test
    void messagesOfOperatorsAreFoundAmongOurs() {
        assertTrue(Runs.raised("Error", "builtins.ValueError: n=9", "builtins.ValueError: n=9"));
        assertFalse(Runs.raised("Error", "n=9", "builtins.ValueError: n=9"));
        assertTrue(Runs.raised("RuntimeError", "RuntimeError: KeyError: b", "aten::pop at net.py:5: KeyError: b"));
        assertFalse(Runs.raised("RuntimeError", "RuntimeError: KeyError: b", "aten::pop at net.py:5: KeyError: a"));
        assertFalse(Runs.raised("RuntimeError", "RuntimeError: KeyError: b", null));
    }
}
