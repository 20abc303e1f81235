package org.torchnnapi.execution.interp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

class InterpreterTest {
    @Test
    void branches() {
        List<String> body = List.of(
                "if torch.gt(a, b):",
                "  c = torch.mul(a, 2)",
                "  s = \"more\"",
                "else:",
                "  s = \"less\"",
                "  c = b",
                "return (c, s)");
        assertEquals(ScriptTuple.of(6L, "more"), Scripts.run("(a: int, b: int) -> Tuple[int, str]", body, 3L, 1L));
        assertEquals(ScriptTuple.of(4L, "less"), Scripts.run("(a: int, b: int) -> Tuple[int, str]", body, 3L, 4L));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "5, 10", "100, 4950"})
    void forLoops(long n, long sum) {
        assertEquals(
                sum,
                Scripts.run(
                        "(n: int) -> int",
                        List.of("s = 0", "for i in range(n):", "  s = torch.add(s, i)", "return s"),
                        n));
    }

    @Test
    void whileLoopsSwapTheirVariables() {
        assertEquals(
                ScriptTuple.of(55L, 89L),
                Scripts.run(
                        "(n: int) -> Tuple[int, int]",
                        List.of(
                                "a = 0",
                                "b = 1",
                                "i = 0",
                                "_0 = torch.lt(0, n)",
                                "while _0:",
                                "  c = torch.add(a, b)",
                                "  j = torch.add(i, 1)",
                                "  _0, a, b, i = torch.lt(j, n), b, c, j",
                                "return (a, b)"),
                        10L));
    }

    @Test
    void nestedLoopsWithRangesAndBranches() {
        assertEquals(
                "[5, 3, 1]",
                Scripts.run(
                                "() -> List[int]",
                                List.of(
                                        "l = annotate(List[int], [])",
                                        "for i in range(5, 0, -2):",
                                        "  for j in range(i):",
                                        "    if torch.eq(j, 0):",
                                        "      _0 = torch.append(l, i)",
                                        "    else:",
                                        "      pass",
                                        "return l"))
                        .toString());
    }

    @Test
    void earlyReturnFlagsUseUninitialized() {
        List<String> body = List.of(
                "_0 = uninitialized(int)",
                "if torch.gt(a, 0):",
                "  _1, _2 = True, a",
                "else:",
                "  _1, _2 = False, _0",
                "if _1:",
                "  _3 = _2",
                "else:",
                "  _3 = -1",
                "return _3");
        assertEquals(7L, Scripts.run("(a: int) -> int", body, 7L));
        assertEquals(-1L, Scripts.run("(a: int) -> int", body, -7L));
    }

    @Test
    void functionsMethodsDefaultsAndKeywords() {
        String text = """
            def g(a: int, k: int=10) -> int:
              return torch.add(a, k)
            def f(a: int) -> Tuple[int, int, int]:
              h = __torch__.m.g
              return (__torch__.m.g(a, ), h(a, 1, ), __torch__.m.g(k=2, a=a))
            """;
        assertEquals(ScriptTuple.of(15L, 6L, 7L), Scripts.call(text, 5L));
    }

    @Test
    void objectsHaveStateAndInterfacesDispatch() {
        CodeLoader loader = Scripts.loader("""
            class Counter:
              n : int
              def __init__(self: __torch__.m.Counter, n: int) -> NoneType:
                self.n = n
                return None
              def step(self: __torch__.m.Counter, by: int=1) -> int:
                n = self.n
                self.n = torch.add(n, by)
                return self.n
            class Act(ModuleInterface):
              def forward(self, x: int) -> int:
                pass
            class A(Module):
              def forward(self: __torch__.m.A, x: int) -> int:
                return torch.neg(x)
            class Net(Module):
              __annotations__["0"] = __torch__.m.Act
              def forward(self: __torch__.m.Net, x: int) -> Tuple[int, int]:
                c = __torch__.m.Counter.__new__(__torch__.m.Counter)
                _0 = (c).__init__(x, )
                _1 = (c).step()
                _2 = getattr(self, "0")
                return ((c).step(by=5), (_2).forward(x, ))
            """);
        ScriptObject net = new ScriptObject(loader.classType("__torch__.m.Net"));
        net.set("0", new ScriptObject(loader.classType("__torch__.m.A")));
        assertEquals(ScriptTuple.of(9L, -3L), Scripts.interpreter().call(net, "forward", 3L));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> Scripts.interpreter().call(net, "backward"));
        assertTrue(e.getMessage().contains("backward") && e.getMessage().contains("forward"), e.getMessage());
    }

    @Test
    void withEntersAndExits() {
        String text = """
            class Guard:
              log : List[str]
              def __init__(self: __torch__.m.Guard, log: List[str]) -> NoneType:
                self.log = log
                return None
              def __enter__(self: __torch__.m.Guard) -> str:
                _0 = torch.append(self.log, "in")
                return "x"
              def __exit__(self: __torch__.m.Guard, type: Any, value: Any, tb: Any) -> NoneType:
                _0 = torch.append(self.log, "out")
                return None
            def f(log: List[str]) -> NoneType:
              g = __torch__.m.Guard(log)
              with g as x:
                _0 = torch.append(log, x)
              return None
            """;
        ScriptList log = new ScriptList(Type.Basic.STRING);
        assertNull(Scripts.call(text, log));
        assertEquals(List.of("in", "x", "out"), log.items());
    }

    @Test
    void recordingsByNameLeaveNoTrace() {
        String text = """
            def f(x: int) -> int:
              h = ops.profiler._record_function_enter("part", None)
              ops.profiler._record_function_exit(h)
              r = ops.profiler._record_function_enter_new("part", "of it")
              ops.profiler._record_function_exit(r)
              return torch.add(x, 1)
            """;
        assertEquals(3L, Scripts.call(text, 2L));
    }

    @Test
    void namedTuplesEnumsForksAndCasts() {
        String text = """
            class P(NamedTuple):
              left : int
              right : str="r"
            class Color(Enum):
              RED = 1
              BLUE = 2
            def f(v: Union[int, List[int]], c: __torch__.m.Color) -> Tuple[str, int, int, bool, int]:
              p = __torch__.m.P(4)
              def __forked():
                return torch.mul(p.left, 3)
              f1 = fork(__forked)
              if isinstance(v, int):
                n = unchecked_cast(int, v)
              else:
                v0 = unchecked_cast(List[int], v)
                n = torch.len(v0)
              return ((p).right, torch.wait(f1), n, torch.eq(c, __torch__.m.Color.RED), (c).value)
            """;
        CodeLoader loader = Scripts.loader(text);
        Object red = new ScriptEnum((Type.EnumType) loader.type("__torch__.m.Color"), "RED", 1L);
        Function f = loader.function("__torch__.m.f");
        assertEquals(
                ScriptTuple.of("r", 12L, 8L, true, 1L), Scripts.interpreter().run(f, 8L, red));
        assertEquals(
                ScriptTuple.of("r", 12L, 2L, true, 1L), Scripts.interpreter().run(f, ScriptList.ofInts(1, 2), red));
    }

    @Test
    void theObjectOfAMethodIsNotCountedWhateverItsName() {
        String source =
                "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  def forward(s: __torch__.m.M, x: "
                        + "Tensor) -> Tensor:\n    return x\n";
        CodeLoader loader = new CodeLoader(
                Sources.archive(Map.of("code/__torch__/m.py", source)), Scripts.facts(kind -> List.of()));
        Function forward = ((ClassType) loader.type("__torch__.m.M")).method("forward");
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Interpreter.fit(forward, List.of("the object", "x", "y"), Map.of()));
        assertTrue(e.getMessage().startsWith("forward() arguments: 2 (expected: at most 1, "), e.getMessage());
    }

    @Test
    void memoryThatIsNotThereIsToldWithItsLine() {
        java.util.function.Function<String, List<Operator>> operators = kind -> kind.equals("test::make")
                ? List.of(new Operator(schema("make"), in -> new long[Integer.MAX_VALUE - 8].length))
                : List.of();
        CodeLoader loader = new CodeLoader(
                Sources.archive(
                        Map.of("code/__torch__/m.py", "def f(x: Tensor) -> Tensor:\n  return ops.test.make(x)\n")),
                Scripts.facts(operators));
        Interpreter interpreter = new Interpreter(operators, name -> null);
        OperatorException e = assertThrows(
                OperatorException.class,
                () -> interpreter.run(loader.function("__torch__.m.f"), Tensor.of(new float[] {0}, 1)));
        assertTrue(e.getCause() instanceof MemoryException, e.toString());
        assertTrue(
                e.getMessage()
                        .startsWith("test::make at code/__torch__/m.py:2: what the operator keeps meanwhile (expected: "
                                + "at most"),
                e.getMessage());
    }

    /**
     * A region is tried on stand-ins before it runs; what fails there is the operator that wanted memory, not the one
     * that the region begins with.
     */
    @Test
    void memoryThatATrialDoesNotFindIsToldOfItsOperator() {
        java.util.function.Function<String, List<Operator>> operators = kind -> switch (kind) {
            case "test::small" -> List.of(new Operator(schema("small"), in -> in[0]));
            case "test::make" -> List.of(new Operator(schema("make"), in -> new long[Integer.MAX_VALUE - 8].length));
            default -> List.of();
        };
        CodeLoader loader = new CodeLoader(
                Sources.archive(Map.of(
                        "code/__torch__/m.py",
                        "def f(x: Tensor) -> Tensor:\n  return ops.test.make(ops.test.small(x))\n")),
                Scripts.facts(operators));
        Interpreter interpreter = new Interpreter(operators, name -> null);
        List<Region.Trial> trials = new ArrayList<>();
        Function function = loader.function("__torch__.m.f");
        Object[] fitted = Interpreter.fit(function, List.of(Tensor.of(new float[] {0}, 1)), Map.of());
        assertThrows(
                OperatorException.class,
                () -> interpreter.runRegions(function, fitted, new RegionRunner() {
                    @Override
                    public Outcome run(Region region, Object[] slots) {
                        trials.add(region.trial(interpreter, slots.clone(), new Unhooked()));
                        return Outcome.LEFT;
                    }

                    @Override
                    public boolean measures() {
                        return false;
                    }

                    @Override
                    public void measured(String operator, long nanos) {
                        throw new AssertionError("measured " + operator);
                    }
                }));
        assertEquals(1, trials.get(0).node());
        assertEquals(MemoryException.class, trials.get(0).failure().getClass());
    }

    /** Calls operators as they are. */
    private static final class Unhooked implements OperatorHook {
        @Override
        public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
            return kernel.call(arguments);
        }
    }

    @Test
    void valuesAreLetGoAtTheirLastUse() {
        List<WeakReference<Object>> made = new ArrayList<>();
        java.util.function.Function<String, List<Operator>> operators = kind -> switch (kind) {
            case "test::make" ->
                List.of(new Operator(schema("make"), in -> {
                    Tensor tensor = Tensor.of(new float[] {in.length}, 1);
                    made.add(new WeakReference<>(tensor));
                    return tensor;
                }));
            case "test::alive" ->
                List.of(new Operator(schema("alive"), in -> {
                    System.gc();
                    return Tensor.of(
                            new float[] {
                                made.stream()
                                        .filter(reference -> reference.get() != null)
                                        .count()
                            },
                            1);
                }));
            default -> List.of();
        };
        CodeLoader loader =
                new CodeLoader(Sources.archive(Map.of("code/__torch__/m.py", """
            def f(x: Tensor) -> Tensor:
              a = ops.test.make(x)
              b = ops.test.make(a)
              c = ops.test.make(b)
              d = ops.test.make(c)
              return ops.test.alive(d)
            """)), Scripts.facts(operators));
        Tensor alive = (Tensor) new Interpreter(operators, name -> null)
                .run(loader.function("__torch__.m.f"), Tensor.of(new float[] {0}, 1));
        assertEquals(1, alive.toFloatArray()[0], "only the argument of the last operator is still needed");
    }

    static FunctionSchema schema(String name) {
        return new FunctionSchema(
                "test::" + name,
                "",
                List.of(FunctionSchema.Argument.of("x", Type.Basic.TENSOR)),
                List.of(FunctionSchema.Argument.of("", Type.Basic.TENSOR)),
                false);
    }

    @Test
    void customClassesAreCalledByName() {
        List<String> calls = new ArrayList<>();
        CustomClass box = new CustomClass() {
            @Override
            public String qualifiedName() {
                return "__torch__.torch.classes.test.Box";
            }

            @Override
            public Object create() {
                return new Object[1];
            }

            @Override
            public Object call(Object self, String method, Object[] arguments) {
                calls.add(method + arguments.length);
                return method.equals("get") ? 42L : null;
            }

            @Override
            public Object getState(Object self) {
                return null;
            }

            @Override
            public Object setState(Object state) {
                return null;
            }
        };
        String text = """
            def f() -> Tuple[__torch__.torch.classes.test.Box, int]:
              b = __torch__.torch.classes.test.Box.__new__(__torch__.torch.classes.test.Box)
              _0 = (b).__init__(1, 2, )
              return (b, (b).get())
            """;
        Function f = Scripts.loader(text).function("__torch__.m.f");
        ScriptTuple result = (ScriptTuple)
                new Interpreter(Scripts.operators(), name -> name.equals(box.qualifiedName()) ? box : null).run(f);
        assertEquals(42L, result.get(1));
        assertSame(box, ((CustomObject) result.get(0)).type());
        assertEquals(List.of("__init__2", "get0"), calls);
        ScriptException e =
                assertThrows(ScriptException.class, () -> Scripts.interpreter().run(f));
        assertTrue(e.getMessage().contains("__torch__.torch.classes.test.Box"), e.getMessage());
    }

    @Test
    void constantTensorsWithoutDimensionsCountAsNumbers() {
        java.util.function.Function<String, List<Operator>> operators = kind -> kind.equals("aten::mul")
                ? List.of(
                        new Operator(
                                SchemaParser.parse("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")
                                        .with(Set.of(OperatorTrait.TAKES_NUMBERS)),
                                in -> "tensor " + in[1]),
                        new Operator(
                                SchemaParser.parse("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"),
                                in -> "number " + in[1]))
                : List.of();
        String text = Sources.function(
                "(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]",
                "return (torch.mul(x, CONSTANTS.c0), torch.mul(x, y))");
        CodeLoader loader = new CodeLoader(
                Sources.archive(Map.of("code/__torch__/m.py", text), Tensor.of(new float[] {0.5f})),
                Scripts.facts(operators));
        Object result = new Interpreter(operators, name -> null)
                .run(loader.function("__torch__.m.f"), Tensor.of(new float[] {1}, 1), Tensor.of(new float[] {2}));
        assertEquals("number 0.5", ((ScriptTuple) result).get(0));
        assertTrue(((ScriptTuple) result).get(1).toString().startsWith("tensor"));
    }

    @Test
    void tensorsBecomeLists() {
        List<String> body = List.of("return annotate(List[List[float]], x.tolist())");
        Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
        assertEquals(
                "[[1.0, 2.0], [3.0, 4.0]]",
                Scripts.run("(x: Tensor) -> List[List[float]]", body, x).toString());
        assertThrows(
                ScriptException.class,
                () -> Scripts.run(
                        "(x: Tensor) -> List[float]", List.of("return annotate(List[float], x.tolist())"), x));
    }

    @Test
    void listsOfTensorsHoldNumbersOfTheirKind() {
        Tensor complex = Elements.cast(Tensor.of(new float[] {1, -2}, 2), DType.COMPLEX64);
        assertEquals(
                List.of(new Complex(1, 0), new Complex(-2, 0)),
                ((ScriptList) Scripts.run(
                                "(x: Tensor) -> List[complex]",
                                List.of("return annotate(List[complex], x.tolist())"),
                                complex))
                        .items());
        for (Object[] other : new Object[][] {
            {"int", DType.FLOAT32},
            {"int", DType.INT32},
            {"int", DType.BOOL},
            {"float", DType.INT64},
            {"float", DType.COMPLEX64},
            {"bool", DType.UINT8},
            {"complex", DType.FLOAT64}
        }) {
            String type = "List[" + other[0] + "]";
            Tensor x = Elements.cast(Tensor.of(new float[] {1, 0}, 2), (DType) other[1]);
            ScriptException e = assertThrows(
                    ScriptException.class,
                    () -> Scripts.run(
                            "(x: Tensor) -> " + type, List.of("return annotate(" + type + ", x.tolist())"), x));
            assertTrue(e.getMessage().contains("must match for tolist()"), e::getMessage);
        }
    }

    @Test
    void complexTensorsOfOneElementAreNumbers() {
        Tensor z = Tensor.of(DType.COMPLEX64, new float[] {1, 2});
        Tensor real = Tensor.of(DType.COMPLEX64, new float[] {2, 0});
        assertEquals(
                new Complex(1, 2),
                Scripts.run("(x: Tensor) -> complex", List.of("return torch.Complex(annotate(number, x))"), z));
        assertEquals(2L, Scripts.run("(x: Tensor) -> int", List.of("return int(x)"), real));
        assertEquals(true, Scripts.run("(x: Tensor) -> bool", List.of("return bool(x)"), z));
        assertThrows(ScriptException.class, () -> Scripts.run("(x: Tensor) -> float", List.of("return float(x)"), z));
    }

    @Test
    void methodsOfOneClassShareTheirProgram() {
        CodeLoader loader = Scripts.loader(
                "class A(Module):\n  k : int\n  def forward(self: __torch__.m.A) -> int:\n    return self.k\n");
        ClassType type = loader.classType("__torch__.m.A");
        Interpreter interpreter = Scripts.interpreter();
        for (long k = 0; k < 3; k++) {
            ScriptObject object = new ScriptObject(type);
            object.set("k", k);
            assertEquals(k, interpreter.call(object, "forward"));
        }
    }
}
