package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsTextLeftAndNumbersRight() {
        String text = new TextTable("model", "ms").row("a", "1.5").row("longer", "12.25").toString();
        assertEquals("model      ms\n-------------\na         1.5\nlonger  12.25\n", text);
    }
}
