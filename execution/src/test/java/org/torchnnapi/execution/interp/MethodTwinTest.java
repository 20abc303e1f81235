package org.torchnnapi.execution.interp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptObject;

class MethodTwinTest {
    private static final String CLASS = """
        class A(Module):
          k : int
          def get(self: SELF) -> int:
            return self.k
          def forward(self: SELF,
              x: int) -> int:
            return torch.add((self).get(), torch.floordiv(6, x))
        """;

    /** Each text as the class A of a file {@code m<number>.py} in one folder. */
    private static CodeLoader loader(String... texts) {
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < texts.length; i++) {
            files.put("code/__torch__/net/m" + i + ".py", texts[i].replace("SELF", "__torch__.net.m" + i + ".A"));
        }
        return new CodeLoader(Sources.archive(files), OperatorRegistry.withBuiltins());
    }

    private static Function forward(CodeLoader loader, int number) {
        return type(loader, number).method("forward");
    }

    private static ClassType type(CodeLoader loader, int number) {
        return loader.classType("__torch__.net.m" + number + ".A");
    }

    @Test
    void methodsOfTheSameTextRunTheSameGraph() {
        CodeLoader loader = loader(CLASS, CLASS);
        Function first = forward(loader, 0);
        Function second = forward(loader, 1);
        assertSame(first, first.representative());
        assertSame(first, second.representative());
        assertSame(type(loader, 1), second.schema().arguments().get(0).type());
        assertSame(type(loader, 1), second.graph().inputs().get(0).type(), "its own graph has its own types");
        assertNotSame(first.graph(), second.graph());
        Interpreter interpreter = new Interpreter(OperatorRegistry.withBuiltins()::overloads, name -> null);
        for (int i = 0; i < 2; i++) {
            ScriptObject object = new ScriptObject(type(loader, i));
            object.slot(0, 10L + i);
            assertEquals(13L + i, interpreter.call(object, "forward", 2L));
        }
    }

    @Test
    void failuresTellTheirOwnPlaces() {
        CodeLoader loader = loader(CLASS, "# of its own\n\n" + CLASS);
        Interpreter interpreter = new Interpreter(OperatorRegistry.withBuiltins()::overloads, name -> null);
        for (int i = 0; i < 2; i++) {
            ScriptObject object = new ScriptObject(type(loader, i));
            object.slot(0, 1L);
            ScriptException e = assertThrows(ScriptException.class, () -> interpreter.call(object, "forward", 0L));
            String place = "code/__torch__/net/m" + i + ".py:" + (7 + 2 * i);
            assertEquals(place, e.places().get(0).toString());
            assertTrue(e.getMessage().contains(place), e.getMessage());
            for (Node node : forward(loader, i).graph().block().nodes()) {
                assertEquals(place, node.range().toString());
            }
        }
        assertSame(forward(loader, 0), forward(loader, 1).representative());
    }

    @Test
    void classesThatDifferHaveGraphsOfTheirOwn() {
        for (String other : List.of(
                CLASS.replace("k : int", "k : float").replace("return self.k", "return int(self.k)"),
                CLASS.replace("  k : int", "  j : int\n  k : int"),
                CLASS.replace("  k : int", "  k : int\n  c : Final[int] = 3"),
                CLASS.replace("return self.k", "return torch.neg(self.k)"),
                CLASS.replace("(Module)", ""))) {
            CodeLoader loader = loader(CLASS, other);
            assertSame(forward(loader, 0), forward(loader, 0).representative());
            assertSame(forward(loader, 1), forward(loader, 1).representative(), other);
            assertEquals(2, forward(loader, 1).schema().arguments().size());
        }
    }

    @Test
    void objectsThatAreHandedOnKeepTheirGraphs() {
        String text = CLASS
                + "  def me(self: SELF) -> Any:\n    return self\n  def again(self: SELF) -> int:\n    return "
                + "(self).again()\n";
        CodeLoader loader = loader(text, text);
        Function again = type(loader, 0).method("again");
        Function me = type(loader, 1).method("me");
        assertSame(me, me.representative());
        assertSame(again, type(loader, 1).method("again").representative(), "one that calls itself");
    }

    @Test
    void brokenTextsAreToldWithTheirOwnFile() {
        String text = CLASS.replace("return self.k", "return self.absent");
        CodeLoader loader = loader(text, "# of its own\n" + text);
        for (int i = 0; i < 2; i++) {
            Function get = type(loader, i).method("get");
            SourceException e = assertThrows(SourceException.class, get::graph);
            assertEquals("code/__torch__/net/m" + i + ".py", e.entry());
            assertEquals(4 + i, e.line());
            assertSame(get, get.representative());
        }
    }

    @Test
    void headersThatDifferAreRead() {
        CodeLoader loader =
                loader(CLASS, CLASS.replace("  k : int", "  k : int\n  l : float"), CLASS + "  m : int\n", CLASS);
        assertEquals(List.of("k"), names(loader, 0));
        assertEquals(List.of("k", "l"), names(loader, 1));
        assertEquals(List.of("k", "m"), names(loader, 2));
        assertEquals(List.of("k"), names(loader, 3));
        assertSame(forward(loader, 0), forward(loader, 3).representative());
    }

    private static List<String> names(CodeLoader loader, int number) {
        return type(loader, number).attributes().stream()
                .map(ClassType.Attribute::name)
                .toList();
    }
}
