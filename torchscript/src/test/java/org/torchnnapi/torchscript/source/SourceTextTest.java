package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.format.ReadBudget;

class SourceTextTest {
    @Test
    void everyCharacterHasACode() {
        SourceText text = SourceText.of("e", "a\u00e4\ud83d\ude00b", ReadBudget.of(0));
        assertEquals(text.text().length(), text.codes().length);
        assertEquals('b', text.codes()[4]);
        assertTrue(text.isKnown(0, 2));
        assertFalse(text.isKnown(1, 3));
    }

    @Test
    void stringsMayHoldAnyCharacter() {
        String file =
                "def f() -> str:\n  return \"\ud83d\ude00\" # \ud83d\ude00\ndef g() -> str:\n  return '\u4e00\\n'\n";
        Tree.FileTree tree = Parser.file("e", file, new ClassTwins(), ReadBudget.of(0));
        assertEquals("\ud83d\ude00", literal(tree.functions().get(0)));
        assertEquals("\u4e00\n", literal(tree.functions().get(1)));
        SourceException e = assertThrows(
                SourceException.class, () -> Parser.file("e", "\ud83d\ude00\n", new ClassTwins(), ReadBudget.of(0)));
        assertTrue(e.getMessage().startsWith("e:1:1: character U+D83D"), e.getMessage());
    }

    private static Object literal(Tree.Definition function) {
        Tree.Return end = (Tree.Return) Parser.function(function.text()).body().get(0);
        return ((Tree.Literal) end.value()).value();
    }
}
