package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Type;

class CodeLoaderTest {
    @Test
    void namesThatNoFileDefinesAreNull() {
        CodeLoader loader = Sources.loader("class A:\n  x : int\n");
        for (String name : new String[] {
            "__torch__.m.B", "__torch__.n.A", "m.A", "__torch__", "", "..", "__torch__.../../etc.A", "__torch__.m."
        }) {
            assertNull(loader.type(name), name);
            assertNull(loader.function(name), name);
        }
        assertThrows(IllegalArgumentException.class, () -> loader.classType("__torch__.m.B"));
    }

    @Test
    void longChainsOfClassesDoNotExhaustTheStack() {
        StringBuilder text = new StringBuilder();
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            text.append("class C")
                    .append(i)
                    .append("(Module):\n  next : __torch__.m.C")
                    .append((i + 1) % count)
                    .append('\n');
        }
        ClassType type = Sources.loader(text.toString()).classType("__torch__.m.C0");
        assertEquals("__torch__.m.C1", type.attributes().get(0).type().text());
    }

    @Test
    void aBrokenClassStaysBroken() {
        CodeLoader loader = Sources.loader("class A:\n  x : Foo\nclass B:\n  y : int\n");
        assertThrows(SourceException.class, () -> loader.type("__torch__.m.A"));
        assertThrows(SourceException.class, () -> loader.type("__torch__.m.A"));
    }

    @Test
    void classesKnowParametersBuffersAndConstants() {
        ClassType type = Sources.loader("""
            class A(Module):
              __parameters__ = ["w", ]
              __buffers__ = ["b", ]
              w : Tensor
              b : Optional[Tensor]
              k : Final[int] = 3
              eps : Final[float] = 1
              names : Final[Tuple[str, str]] = ("a", "b")
            """).classType("__torch__.m.A");
        assertEquals(
                List.of(true, false),
                type.attributes().stream().map(ClassType.Attribute::isParameter).toList());
        assertEquals(
                List.of(false, true),
                type.attributes().stream().map(ClassType.Attribute::isBuffer).toList());
        assertEquals(Map.of("k", 3L, "eps", 1.0).get("k"), type.constants().get("k"));
        assertEquals(1.0, type.constants().get("eps"));
        assertEquals("(a, b)", type.constants().get("names").toString());
    }

    @Test
    void customClassesAreOneTypeEverywhere() {
        CodeLoader loader =
                Sources.loader("class A:\n  x : __torch__.torch.classes.quantized.Conv2dPackedParamsBase\n");
        Type attribute = loader.classType("__torch__.m.A").attributes().get(0).type();
        assertSame(ClassType.custom("__torch__.torch.classes.quantized.Conv2dPackedParamsBase"), attribute);
    }

    @Test
    void graphsAreBuiltOnceUnderManyThreads() {
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            files.put(
                    "code/__torch__/m" + i + ".py",
                    "def f(x: Tensor) -> Tensor:\n  return __torch__.m" + (i + 1) % 20 + ".f(x, )\n");
        }
        CodeLoader loader = new CodeLoader(Sources.archive(files), kind -> List.of());
        List<Object> graphs = IntStream.range(0, 200)
                .parallel()
                .mapToObj(i -> {
                    Function function = loader.function("__torch__.m" + i % 20 + ".f");
                    return (Object) function.graph();
                })
                .distinct()
                .toList();
        assertEquals(20, graphs.size());
        assertTrue(graphs.stream().allMatch(graph -> graph != null));
    }
}
