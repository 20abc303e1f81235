package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TextTableTest {
    /** A thousand rows beside a name of 100,000 characters are no hundred million. */
    @Test
    void longCellsWidenNoOtherRow() {
        TextTable table = new TextTable("name", "n").row("x".repeat(100_000), 1);
        for (int i = 0; i < 1000; i++) {
            table.row("y", i);
        }
        assertTrue(
                table.toString().length() < 100_000,
                "characters: " + table.toString().length());
    }

    @Test
    void alignsTextLeftAndNumbersRight() {
        String text = new TextTable("model", "ms")
                .row("a", "1.5")
                .row("longer", "12.25")
                .toString();
        assertEquals("model      ms\n-------------\na         1.5\nlonger  12.25\n", text);
    }
}
