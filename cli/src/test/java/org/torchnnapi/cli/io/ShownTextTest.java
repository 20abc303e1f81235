package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;

class ShownTextTest {
    @Test
    void whatMovesTheCursorIsTold() {
        assertEquals("a\\u001b[2Jb\\u0007\\u007f\\u009b1m\\u0000", ShownText.of("a\u001b[2Jb\u0007\u007f\u009b1m\0"));
        assertEquals("over\\u000dwritten\r\n\tnext\n", ShownText.of("over\rwritten\r\n\tnext\n"));
        assertEquals("one\\u000d\\u000a\\u0009line\\u000a", ShownText.line("one\r\n\tline\n"));
        assertEquals(
                "user\\u202e\\u2066 x\\u2069\\u200f\\u061c\\u2028",
                ShownText.of("user\u202e\u2066 x\u2069\u200f\u061c\u2028"));
    }

    /** Format, private, unassigned and lone characters, tags beyond 16 bits, and letters that are blank. */
    @Test
    void whatIsNotSeenIsTold() {
        assertEquals(
                "a\\u200d\\ufeff\\u00ad\\ue000\\uffff\\ud800 \\udb40\\udc41b",
                ShownText.line("a\u200d\ufeff\u00ad\ue000\uffff\ud800 \udb40\udc41b"));
        assertEquals("x\\u3164\\ufe0f", ShownText.line("x\u3164\ufe0f"));
    }

    @Test
    void cellsStayCells() {
        assertEquals(
                "a\\|b \\<img\\[x\\] \\`c\\` net_v2.pt\\\\u000a", ShownText.markdown("a|b <img[x] `c` net_v2.pt\n"));
        assertEquals("\"'=cmd|'/c calc'!A1\"", ShownText.csv("=cmd|'/c calc'!A1"));
        assertEquals("\"'-1\"", ShownText.csv("-1"));
        assertEquals("\"net, \"\"large\"\".pt\"", ShownText.csv("net, \"large\".pt"));
    }

    @Test
    void whatIsPlainStays() {
        String plain = "Größe 大小 \ud83d\udc69\ud83d\udcbb\u00a0 {\"a\": 1}";
        assertSame(plain, ShownText.line(plain));
    }

    @Test
    void everyWayToPrintIsShown() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new ShownStream(bytes, "UTF-8");
        out.print("\u001b");
        out.print('\u001b');
        out.print("\u001b".toCharArray());
        out.print((Object) "\u001b");
        out.println("\u001b");
        out.printf(Locale.ROOT, "%s%n", "\u001b");
        out.append("\u001b").append('\u001b').append("x\u001b", 1, 2);
        out.println(new StringBuilder("\u001b"));
        out.print((String) null);
        String end = System.lineSeparator();
        String escape = "\\u001b";
        assertEquals(
                escape.repeat(5) + end + escape + end + escape.repeat(4) + end + "null",
                bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsLoggedIsShown() {
        LogRecord warning = new LogRecord(Level.WARNING, "of a model: \u001b[2J");
        assertEquals(
                "[WARNING] of a model: \\u001b[2J",
                StandardOutput.shown(new SimpleFormatter() {
                            @Override
                            public String format(LogRecord entry) {
                                return "[" + entry.getLevel() + "] " + formatMessage(entry);
                            }
                        })
                        .format(warning));
    }
}
