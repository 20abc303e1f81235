package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.value.Complex;

class ParserTest {
    static final String CLASSES = """
        class Net(Module):
          __parameters__ = ["w", ]
          __buffers__ = []
          w : Tensor
          training : bool
          k : Final[int] = 3
          __annotations__["0"] = __torch__.m.Inner
          def forward(self: __torch__.m.Net,
            x: Tensor,
            eps: float=1.0000000000000001e-05) -> Tuple[Tensor, Dict[str, int]]:
            _0 = annotate(List[Optional[Tensor]], [None, x])
            if torch.gt(eps, 0.5):
              a, b, = (x, 1)
            else:
              a, b = x, 2
            for i in range(3):
              pass
            return (a, {"n": b})
        class Inner(Module):
          def forward(self: __torch__.m.Inner) -> NoneType:
            return None
        class Color(Enum):
          RED = 1
        def f(x: Tensor) -> Tensor:
          return (x).g(k=1)[0]
        """;

    /** A file with all functions that it passes over at first. */
    private static List<Tree.FunctionTree> functions(String entry, String text) {
        Tree.FileTree file = Parser.file(entry, text, new ClassTwins(), ReadBudget.of(0));
        return Stream.concat(
                        file.classes().stream().flatMap(type -> type.methods().stream()), file.functions().stream())
                .map(function -> Parser.function(function.text()))
                .toList();
    }

    private static Object literal(String text) {
        Tree.Return result = (Tree.Return) functions("e", "def f():\n  return " + text + "\n")
                .get(0)
                .body()
                .get(0);
        return assertInstanceOf(Tree.Literal.class, result.value()).value();
    }

    @Test
    void readsClassesAndFunctions() {
        Tree.FileTree file = Parser.file("e", CLASSES, new ClassTwins(), ReadBudget.of(0));
        assertEquals(
                List.of("Net", "Inner", "Color"),
                file.classes().stream().map(Tree.ClassTree::name).toList());
        Tree.ClassTree net = file.classes().get(0);
        assertEquals("Module", net.base());
        assertEquals(
                List.of("__parameters__", "__buffers__", "w", "training", "k", "0"),
                net.members().stream().map(Tree.Member::name).toList());
        Tree.FunctionTree forward = Parser.function(net.methods().get(0).text());
        assertEquals(
                List.of("self", "x", "eps"),
                forward.parameters().stream().map(Tree.Parameter::name).toList());
        assertEquals(4, forward.body().size());
        assertEquals(8, forward.parameters().get(0).at().line());
        assertEquals(1, file.functions().size());
    }

    @Test
    void readsLiterals() {
        assertEquals(-5L, literal("-5"));
        assertEquals(Long.MIN_VALUE, literal("-9223372036854775808"));
        assertEquals(3.0, literal("3."));
        assertEquals(1e20, literal("1e+20"));
        assertEquals(Double.NEGATIVE_INFINITY, literal("-inf"));
        assertEquals(Double.NaN, literal("nan"));
        assertEquals(new Complex(1, 2), literal("1.+2.j"));
        assertEquals(new Complex(1, Double.NEGATIVE_INFINITY), literal("1.-infj"));
        assertEquals("a\"b\n\u00e9\\", literal("\"a\\\"b\\n\\303\\251\\\\\""));
        assertEquals(true, literal("True"));
        assertEquals(null, literal("None"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        def f(:                          | 1 | 7
        def f(x: Tensor) -> Tensor:      | 2 | 1
        def f():\\n  x = 1 2\\n          | 2 | 9
        def f():\\n  x = 'abc\\n         | 2 | 7
        def f():\\n  x = $\\n            | 2 | 7
        def f():\\n    pass\\n  pass\\n  | 3 | 3
        class A(:                        | 1 | 9
        x = 1                            | 1 | 1
        def f():\\n  return [1, 2\\n     | 4 | 1
        def f():\\n  g(a=1, 2)\\n        | 2 | 10
        def f():\\n  x = 99999999999999999999\\n | 2 | 7
        def f():\\n  x = 1.+2\\n         | 2 | 10
        def f():\\n  x)\\n               | 2 | 4
        """)
    void namesThePlaceOfAnError(String text, int line, int column) {
        SourceException e =
                assertThrows(SourceException.class, () -> functions("code/m.py", text.replace("\\n", "\n") + "\n"));
        assertEquals(line + ":" + column, e.line() + ":" + e.column(), e.getMessage());
        assertTrue(e.getMessage().startsWith("code/m.py:" + line + ":" + column + ": " + e.found()), e.getMessage());
        assertEquals("code/m.py", e.entry());
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "[", "f(", "{1: ", "-", "x[", "(x).f("})
    void refusesDeepExpressions(String open) {
        assertThrows(SourceException.class, () -> functions("e", "def f():\n  return " + open.repeat(100_000) + "\n"));
    }

    @Test
    void refusesDeepBlocksAndChains() {
        StringBuilder text = new StringBuilder("def f():\n");
        for (int i = 1; i < 3000; i++) {
            text.append(" ".repeat(i)).append("if x:\n");
        }
        assertThrows(SourceException.class, () -> functions("e", text.toString()));
        assertThrows(SourceException.class, () -> functions("e", "def f():\n  x" + ".y".repeat(100_000) + "\n"));
        assertThrows(
                SourceException.class,
                () -> functions("e", "def f():\n  if x:\n    pass\n" + "  elif y:\n    pass\n".repeat(10_000)));
    }

    @Test
    void mutatedSourcesGiveTypedErrorsOnly() {
        Random random = new Random(7);
        String pieces = "()[]{},:.=-+\"'\\ \n#_aN0159$\u00e9";
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(CLASSES);
            for (int k = random.nextInt(4); k >= 0; k--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(4)) {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.insert(at, pieces.charAt(random.nextInt(pieces.length())));
                    case 2 -> text.setCharAt(at, pieces.charAt(random.nextInt(pieces.length())));
                    default -> text.delete(at, Math.min(text.length(), at + random.nextInt(40)));
                }
            }
            try {
                CodeLoader loader = Sources.loader(text.toString());
                if (loader.type("__torch__.m.Net") instanceof ClassType net && net.method("forward") != null) {
                    net.method("forward").graph();
                }
            } catch (SourceException e) {
                refused++;
            }
        }
        assertTrue(refused > 5_000, "refused: " + refused);
    }
}
