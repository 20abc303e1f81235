package org.torchnnapi.execution.interp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;

/** What the interpreter tells of a run that fails or is to end. */
class InterpreterErrorsTest {
    @Test
    void exceptionsHaveTypeMessageAndPlaces() {
        String text = """
            def g(n: int) -> int:
              if torch.gt(n, 3):
                ops.prim.RaiseException(torch.format("n={} of {}", n, 2.5), "builtins.ValueError")
              else:
                pass
              return n
            def f(n: int) -> int:
              return __torch__.m.g(n, )
            """;
        ScriptException e = assertThrows(ScriptException.class, () -> Scripts.call(text, 9L));
        assertEquals("builtins.ValueError: n=9 of 2.5", e.getMessage());
        assertEquals("builtins.ValueError", e.pythonType());
        assertEquals(
                List.of("code/__torch__/m.py:3", "code/__torch__/m.py:8"),
                e.places().stream().map(Object::toString).toList());
        assertEquals(
                "RuntimeError: oh",
                assertThrows(
                                ScriptException.class,
                                () -> Scripts.run("() -> NoneType", List.of("ops.prim.RaiseException(\"oh\")")))
                        .getMessage());
    }

    @Test
    void failingAndUnknownOperatorsNameTheirLine() {
        OperatorException e = assertThrows(
                OperatorException.class,
                () -> Scripts.run("(l: List[int]) -> int", List.of("a = 1", "return l[7]"), ScriptList.ofInts(1)));
        assertEquals("aten::__getitem__", e.kind());
        assertTrue(
                e.getMessage().startsWith("aten::__getitem__ at code/__torch__/m.py:3: list index out of range"),
                e.getMessage());
        e = assertThrows(
                OperatorException.class,
                () -> Scripts.run("(a: int) -> Tensor", List.of("return ops.mine.thing(a)"), 1L));
        // Nodes of the graph itself have attributes and blocks, which no call brings.
        SourceException refused = assertThrows(
                SourceException.class,
                () -> Scripts.run(
                        "(x: Tensor) -> Tensor", List.of("return ops.prim.SetAttr(x)"), Tensor.of(new float[] {1}, 1)));
        assertTrue(refused.getMessage().contains("unknown operator prim::SetAttr"), refused.getMessage());
        refused = assertThrows(
                SourceException.class,
                () -> Scripts.run("() -> Tensor", List.of("return ops.prim.ConstantMKLDNNTensor()")));
        assertTrue(
                refused.getMessage()
                        .contains("(expected: the model as it was before torch.jit.optimize_for_inference)"),
                refused.getMessage());
        assertTrue(e.getMessage().startsWith("mine::thing at code/__torch__/m.py:2: unknown operator"), e.getMessage());
        List<String> guarded = List.of("if a:", "  t = ops.mine.thing(a)", "else:", "  t = x", "return t");
        Tensor x = Tensor.of(new float[] {1}, 1);
        assertSame(x, Scripts.run("(a: bool, x: Tensor) -> Tensor", guarded, false, x));
    }

    @Test
    void argumentsAreChecked() {
        String signature = "(a: int, b: Optional[float]=None, c: List[Optional[int]]=[1]) -> int";
        assertEquals(3L, Scripts.run(signature, List.of("return a"), 3L));
        for (Object[] wrong : new Object[][] {
            {}, {"x"}, {1L, 2L}, {1L, null, "x"}, {1L, null, null}, {1L, 1.0, ScriptList.ofInts(1), 4L}
        }) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> Scripts.run(signature, List.of("return a"), wrong));
            assertTrue(e.getMessage().startsWith("f() argument"), e.getMessage());
        }
        Function f = Scripts.loader(Sources.function(signature, "return a")).function("__torch__.m.f");
        assertEquals(5L, Scripts.interpreter().run(f, List.of(), Map.of("a", 5L)));
        assertThrows(IllegalArgumentException.class, () -> Scripts.interpreter().run(f, List.of(1L), Map.of("a", 5L)));
        assertThrows(IllegalArgumentException.class, () -> Scripts.interpreter().run(f, List.of(1L), Map.of("z", 5L)));
    }

    @Test
    void endlessRecursionIsATypedError() {
        ScriptException e = assertThrows(
                ScriptException.class,
                () -> Scripts.call("def f(n: int) -> int:\n  return __torch__.m.f(torch.add(n, 1), )\n", 1L));
        assertTrue(e.getMessage().startsWith("RecursionError"), e.getMessage());
        assertTrue(e.places().size() <= 64);
    }

    @Test
    void endlessLoopsCanBeInterrupted() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread runner = new Thread(() -> {
            try {
                Scripts.run(
                        "(n: int) -> int", List.of("i = 0", "while True:", "  i = torch.add(i, n)", "return i"), 1L);
            } catch (ScriptException e) {
                thrown.add(e);
                assertTrue(Thread.currentThread().isInterrupted());
            }
        });
        runner.start();
        runner.interrupt();
        runner.join(60_000);
        assertFalse(runner.isAlive());
        assertEquals(InterruptedRunException.class, thrown.get(0).getClass());
    }

    @Test
    void anOperatorThatNoticesAnInterruptEndsTheRun() {
        java.util.function.Function<String, List<Operator>> operators = kind -> kind.equals("test::make")
                ? List.of(new Operator(InterpreterTest.schema("make"), in -> {
                    Interruption.check();
                    return in[0];
                }))
                : List.of();
        CodeLoader loader = new CodeLoader(
                Sources.archive(
                        Map.of("code/__torch__/m.py", "def f(x: Tensor) -> Tensor:\n  return ops.test.make(x)\n")),
                Scripts.facts(operators));
        Interpreter interpreter = new Interpreter(operators, name -> null);
        Tensor x = Tensor.of(new float[] {0}, 1);
        Thread.currentThread().interrupt();
        try {
            assertThrows(InterruptedRunException.class, () -> interpreter.run(loader.function("__torch__.m.f"), x));
        } finally {
            assertTrue(Thread.interrupted());
        }
    }
}
