package org.torchnnapi.tensor.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EnvironmentTest {
    @AfterEach
    void asItWas() {
        System.clearProperty(Environment.PROPERTY);
    }

    @Test
    void variablesAreReadUnlessTheyAreIgnored() {
        String path = Environment.get("PATH");
        assertNotNull(path);
        System.setProperty(Environment.PROPERTY, "ignored");
        assertNull(Environment.get("PATH"));
        System.setProperty(Environment.PROPERTY, "read");
        assertEquals(path, Environment.get("PATH"));
    }
}
