package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Files of some thousand bytes that would become gigabytes, if their parts were counted where they are packed. */
class SmallFileTest {
    private static TorchScriptArchive archive(String data) throws IOException {
        byte[] bytes = HostileArchiveTest.zip(
                new String[] {"m/data.pkl", "m/constants.pkl", "m/version"},
                new byte[][] {
                    ("\u0080\u0002" + data).getBytes(StandardCharsets.ISO_8859_1),
                    {(byte) 0x80, 2, ')', '.'},
                    {'3', '\n'}
                },
                true);
        assertTrue(bytes.length < 20_000, bytes.length + " bytes");
        return TorchScriptArchive.of(bytes);
    }

    private static String refusal(String data) throws IOException {
        TorchScriptArchive archive = archive(data);
        return assertThrows(ArchiveException.class, archive::data).getMessage();
    }

    @Test
    void valuesThatAreDeflatedCountAsTheyAreInMemory() throws IOException {
        String message = refusal("](" + Strings.repeat("K\1", 8_000_000) + "e.");
        assertTrue(message.startsWith("data.pkl: values: 256 of 32 bytes"), message);
        assertEquals(
                600_000,
                ((PickledList) archive("](" + Strings.repeat("K\1", 600_000) + "e.")
                                .data())
                        .items()
                        .size());
    }

    /** Sixty levels, of which each holds the one below it twice. */
    @ParameterizedTest
    @ValueSource(strings = {"h\0h\0\u0086", "](h\0h\0e", "}(K\1h\0K\2h\0u"})
    void whatIsSharedCountsAtEachPlace(String twice) throws IOException {
        String level = twice + "q\0" + "0";
        String message = refusal("N\u0085q\0" + "0" + Strings.repeat(level, 60) + "h\0.");
        assertTrue(message.startsWith("data.pkl: values, each as often as it is shared: "), message);
        archive("N\u0085q\0" + "0" + Strings.repeat(level, 16) + "h\0.").data();
    }

    /** Objects are known by their identity, so modules may share. */
    @Test
    void objectsCountOnce() throws IOException {
        String level = "c__torch__\nM\n)\u0081}(X\1\0\0\0ah\0X\1\0\0\0bh\0ubq\0" + "0";
        archive("c__torch__\nM\n)\u0081}bq\0" + "0" + Strings.repeat(level, 60) + "h\0.")
                .data();
    }

    /** A text of 16 million characters by ten numbers, in a thousand ranges with a text each. */
    @Test
    void debugTextsAreNeverJoined() {
        String line = "    return x" + Strings.repeat("y", 1_600_000) + "\n";
        ScriptTuple strings = ScriptTuple.of("net.py", line, "");
        List<Object> ranges = new ArrayList<>();
        for (long i = 0; i < 1000; i++) {
            PickledList text = new PickledList("List[int]", List.of(1L, 2L, 1L, 2L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L));
            ScriptTuple source = ScriptTuple.of(text, 0L, 7L);
            ranges.add(ScriptTuple.of(i, ScriptTuple.of(source, (long) line.length() + 4, 20L), i));
        }
        SourceMap map =
                SourceMap.of(ScriptTuple.of("FORMAT_WITH_STRING_TABLE", strings, new ScriptTuple(ranges, null)));
        for (int i = 0; i < 1000; i++) {
            SourceMap.Position position = map.lookup(i);
            assertEquals(8, position.line());
            assertTrue(
                    position.text().startsWith("return xyyy") && position.text().length() <= 300, position.text());
        }
    }

    /** Lines in several strings, strings of several lines, and ranges at every character, as a joined text has them. */
    @Test
    void linesAreThoseOfTheJoinedText() {
        List<String> pieces = List.of("", "def f(x):\n  a = ", "x", "", "\n", "\n  return a", " + 1\n\nend", "");
        List<Object> table = new ArrayList<>(pieces);
        table.add("net.py");
        List<Object> numbers = new ArrayList<>();
        for (long i = 0; i < pieces.size(); i++) {
            numbers.add(i);
        }
        SourceTexts texts = new SourceTexts(new ScriptTuple(table, null));
        ScriptTuple source = ScriptTuple.of(new PickledList("List[int]", numbers), (long) pieces.size(), 3L);
        String joined = String.join("", pieces);
        for (int at = 0; at <= joined.length(); at++) {
            SourceMap.Position position = texts.position(ScriptTuple.of(source, (long) at, (long) at));
            int begin = joined.lastIndexOf('\n', at - 1) + 1;
            int end = joined.indexOf('\n', at) < 0 ? joined.length() : joined.indexOf('\n', at);
            assertEquals(joined.substring(begin, end).trim(), position.text(), "at " + at);
            assertEquals(
                    3 + joined.substring(0, at).chars().filter(c -> c == '\n').count(), position.line(), "at " + at);
        }
        assertNull(texts.position(ScriptTuple.of(source, joined.length() + 1L, 0L)));
    }
}
