package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.torchscript.format.ReadBudget;

class FunctionTextTest {
    private static final String FIRST = "def f(self: A1.B, x: int) -> int:\n    return x\n";

    private static FunctionText first(String text) {
        return FunctionText.of(
                SourceText.of("first", text, ReadBudget.of(0)), new Position(1, 3, 2), text.length(), 2, 2);
    }

    /** The text stands behind a line of its own file. */
    private static FunctionText twin(FunctionText first, String text) {
        String file = "#\n  " + text;
        return first.twin(SourceText.of("second", file, ReadBudget.of(0)), new Position(2, 3, 4), file.length(), 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  def g(self: A1.B):\n    pass\n", "class C:\n", " def g():\n"})
    void onlyTheClassMayDiffer(String behind) {
        FunctionText first = first("  " + FIRST);
        FunctionText twin = twin(first, FIRST.replace("A1.B", "__torch__.a.mangle_22.B") + behind);
        assertSame(first, twin.first());
        assertEquals(4 + FIRST.length() + "__torch__.a.mangle_22.B".length() - "A1.B".length(), twin.end());
        assertEquals(new Position(3, 12, twin.end() - 2), twin.moved(new Position(2, 12, first.end() - 2)));
        assertSame(first.tree(), twin.tree());
        assertNotSame(first.tree(), twin.alone().tree());
        assertSame(first, twin(twin, FIRST).first(), "the first of all");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "def f(self: A1.B, x: int) -> int:\n    return y\n",
                "def g(self: A1.B, x: int) -> int:\n    return x\n",
                "def f(other: A1.B, x: int) -> int:\n    return x\n",
                "def f(self: A1.B, x: int) -> int:\n    return x\n    pass\n",
                "def f(self: A1.B, x: int) -> int:\n    return x\n\n",
                "def f(self: A1.B, x: int) -> int:\n    return x\n#\n",
                "def f(self: A1.B, x: int) -> int:\n    return x",
                "def f(self: A1.B=None, x: int) -> int:\n    return x\n",
                "def f(self: List[A1], x: int) -> int:\n    return x\n",
                "def f(self: \"A1\", x: int) -> int:\n    return x\n",
                "def f(self: A\u00e4.B, x: int) -> int:\n    return x\n",
                "def f(self, x: int) -> int:\n    return x\n",
                "def f(self: A1.B",
                "def f",
                ""
            })
    void nothingElseMay(String other) {
        assertNull(twin(first("  " + FIRST), other));
    }

    @Test
    void textsWithCharactersThatAreNotKnownHaveNoTwins() {
        String text = "def f(self: A) -> str:\n    return \"\u4e00\"\n";
        assertNull(twin(first("  " + text), text));
        String plain = "def f(self: A) -> str:\n    return \"\u00e4\"\n";
        assertEquals("second", twin(first("  " + plain), plain).source().entry());
    }

    @Test
    void otherIndentationIsNoTwin() {
        FunctionText first = first("  " + FIRST);
        assertNull(first.twin(
                SourceText.of("second", "  " + FIRST, ReadBudget.of(0)), new Position(1, 3, 2), FIRST.length() + 2, 4));
    }

    @Test
    void treesStayWhereThereAreTwins() {
        FunctionText alone = first("  " + FIRST);
        Tree.FunctionTree tree = alone.tree();
        alone.forgetTree();
        assertNotSame(tree, alone.tree());
        FunctionText twin = twin(alone, FIRST);
        Tree.FunctionTree shared = alone.tree();
        twin.forgetTree();
        assertSame(shared, twin.tree());
    }
}
