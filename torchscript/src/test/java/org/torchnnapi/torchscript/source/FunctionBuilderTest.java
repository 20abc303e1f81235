package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphPrinter;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;

class FunctionBuilderTest {
    private static FunctionSchema schema(String name, String overload, Type result, Type... arguments) {
        List<FunctionSchema.Argument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            list.add(FunctionSchema.Argument.of("a" + i, arguments[i]));
        }
        return new FunctionSchema(name, overload, list, List.of(FunctionSchema.Argument.of("", result)), false);
    }

    private static List<FunctionSchema> operators(String kind) {
        Type tensor = Type.Basic.TENSOR;
        Type integer = Type.Basic.INT;
        return switch (kind) {
            case "aten::add" ->
                List.of(
                        schema(kind, "Tensor", tensor, tensor, tensor),
                        schema(kind, "Scalar", tensor, tensor, Type.Basic.NUMBER),
                        schema(kind, "int", integer, integer, integer),
                        schema(kind, "float", Type.Basic.FLOAT, Type.Basic.FLOAT, Type.Basic.FLOAT));
            case "aten::lt" -> List.of(schema(kind, "int", Type.Basic.BOOL, integer, integer));
            case "aten::append" ->
                List.of(schema(
                        kind,
                        "t",
                        Type.list(new Type.Variable("t")),
                        Type.list(new Type.Variable("t")),
                        new Type.Variable("t")));
            default -> List.of();
        };
    }

    private static Graph graph(String signature, String... body) {
        Graph graph = Sources.loader(Sources.function(signature, body), FunctionBuilderTest::operators)
                .function("__torch__.m.f")
                .graph();
        GraphVerifier.verify(graph);
        return graph;
    }

    @Test
    void picksOverloadsByArgumentTypes() {
        assertEquals(
                """
            graph(%x.1 : Tensor,
                  %n.1 : int):
              %0 : int = prim::Constant[value=1]()
              %m.1 : int = aten::add(%n.1, %0)
              %y.1 : Tensor = aten::add(%x.1, %m.1)
              %1 : Tensor = aten::add(%y.1, %y.1)
              return (%1)
            """,
                GraphPrinter.print(graph(
                        "(x: Tensor, n: int) -> Tensor",
                        "m = torch.add(n, 1)",
                        "y = torch.add(x, m)",
                        "return torch.add(y, y)")));
    }

    @Test
    void slicesTuples() {
        Graph graph = graph("(t: Tuple[int, Tensor, float]) -> Tuple[Tensor, float]", "return (t)[1:3]");
        Node tuple = graph.outputs().get(0).definition();
        assertEquals("Tuple[Tensor, float]", tuple.output().type().text());
        assertEquals(
                List.of("prim::TupleIndex", "prim::TupleIndex"),
                List.of(
                        tuple.input(0).definition().kind(),
                        tuple.input(1).definition().kind()));
        for (String slice : new String[] {"t[1:4]", "t[2:1]", "t[0:t]", "n[0:1]"}) {
            assertThrows(
                    SourceException.class,
                    () -> graph("(t: Tuple[int, int], n: int) -> Any", "return " + slice),
                    slice);
        }
    }

    @Test
    void joinsBranches() {
        assertEquals(
                """
            graph(%a.1 : bool,
                  %x.1 : Tensor):
              %y.2 : Optional[Tensor] = prim::If(%a.1)
                block0():
                  -> (%x.1)
                block1():
                  %y.1 : NoneType = prim::Constant[value=null]()
                  -> (%y.1)
              return (%y.2)
            """.replace("%y.2 : Optional[Tensor] = prim::If", "%y.1 : Optional[Tensor] = prim::If")
                        .replace("%y.1 : NoneType", "%y.2 : NoneType")
                        .replace("-> (%y.1)", "-> (%y.2)")
                        .replace("return (%y.2)", "return (%y.1)"),
                GraphPrinter.print(graph(
                        "(a: bool, x: Tensor) -> Optional[Tensor]",
                        "if a:",
                        "  y = x",
                        "  unused = 1",
                        "else:",
                        "  y = None",
                        "return y")));
    }

    /**
     * A variable that is declared as a union is one, whatever it holds first: behind branches, and in and behind loops.
     */
    @Test
    void declaredVariablesKeepTheirType() {
        Graph branches = graph(
                "(a: bool, x: List[int], y: int) -> Union[List[int], int]",
                "if a:",
                "  z : Union[List[int], int] = x",
                "else:",
                "  z = y",
                "return z");
        assertEquals("Union[List[int], int]", branches.outputs().get(0).type().text());
        Graph before = graph(
                "(a: bool, n: int) -> Union[int, str]",
                "z : Union[int, str] = n",
                "if a:",
                "  z = \"a\"",
                "else:",
                "  z = n",
                "return z");
        assertEquals("Union[int, str]", before.outputs().get(0).type().text());
        Graph loop = graph(
                "(n: int) -> Union[int, str]",
                "z : Union[int, str] = n",
                "for i in range(n):",
                "  z = \"a\"",
                "return z");
        Node node = loop.outputs().get(0).definition();
        assertEquals("Union[int, str]", node.output().type().text());
        assertEquals(
                "Union[int, str]",
                node.blocks().get(0).parameters().get(1).type().text());
        // What is assigned again without a type has that of the value.
        Graph again = graph(
                "(a: bool, n: int) -> Any",
                "if a:",
                "  z : Union[int, str] = n",
                "  z = n",
                "else:",
                "  z = n",
                "return z");
        assertEquals("int", again.outputs().get(0).type().text());
    }

    @Test
    void carriesLoopVariables() {
        assertEquals(
                """
            graph(%n.1 : int):
              %total.1 : int = prim::Constant[value=0]()
              %0 : bool = prim::Constant[value=true]()
              %total.2 : int = prim::Loop(%n.1, %0, %total.1)
                block0(%i.1 : int, %total.3 : int):
                  %total.4 : int = aten::add(%total.3, %i.1)
                  %1 : bool = prim::Constant[value=true]()
                  -> (%1, %total.4)
              return (%total.2)
            """,
                GraphPrinter.print(graph(
                        "(n: int) -> int",
                        "total = 0",
                        "for i in range(n):",
                        "  total = torch.add(total, i)",
                        "return total")));
    }

    @Test
    void conditionOfWhileIsEvaluatedAtTheEndOfTheBody() {
        Graph graph = graph(
                "(n: int) -> int",
                "i = 0",
                "_0 = torch.lt(0, n)",
                "while _0:",
                "  j = torch.add(i, 1)",
                "  _0, i = torch.lt(j, n), j",
                "return i");
        Node loop = graph.block().nodes().stream()
                .filter(node -> node.is("prim::Loop"))
                .findFirst()
                .orElseThrow();
        assertEquals(3, loop.inputs().size(), () -> GraphPrinter.print(graph));
        assertEquals(
                "aten::lt", loop.blocks().get(0).results().get(0).definition().kind());
    }

    @Test
    void unknownOperatorsBecomeNodesWithoutSchema() {
        Graph graph = graph("(x: Tensor) -> List[int]", "return ops.mine.thing(x, scale=2)");
        Node cast = graph.outputs().get(0).definition();
        assertEquals(
                "prim::unchecked_cast",
                cast.kind(),
                "what is returned is declared, what the operator gives is not known");
        Node node = cast.input(0).definition();
        assertEquals("mine::thing", node.kind());
        assertEquals(null, node.schema());
        assertEquals("unknown operator", node.attribute("unresolved"));
        assertEquals(List.of("scale"), node.attribute("keywords"));
        assertEquals("code/__torch__/m.py:2", node.range().toString());
    }

    @Test
    void classesReferToEachOtherAcrossFiles() {
        CodeLoader loader = new CodeLoader(
                Sources.archive(Map.of(
                        "code/__torch__/a.py",
                                "class A(Module):\n  b : __torch__.p.___torch_mangle_1.B\n  def "
                                        + "forward(self: __torch__.a.A, x: Tensor) -> Tensor:\n"
                                        + "    b = self.b\n    return (b).forward(x, )\n",
                        "code/__torch__/p/___torch_mangle_1.py",
                                "class B(Module):\n  __annotations__[\"0\"] = Optional[__torch__.a.A]\n"
                                        + "  def forward(self: __torch__.p.___torch_mangle_1.B, x: Tensor, "
                                        + "k: int=2) -> Tensor:\n    _0 = getattr(self, \"0\")\n    return "
                                        + "x\n")),
                FunctionBuilderTest::operators);
        ClassType a = loader.classType("__torch__.a.A");
        ClassType b = (ClassType) a.attributes().get(0).type();
        assertEquals(Type.optional(a), b.attributes().get(0).type());
        Graph graph = a.method("forward").graph();
        GraphVerifier.verify(graph);
        assertTrue(
                GraphPrinter.print(graph).contains("prim::CallMethod[name=\"forward\"]"),
                () -> GraphPrinter.print(graph));
        assertEquals(3, graph.outputs().get(0).definition().inputs().size(), "the default of k is passed");
        assertEquals(1, b.method("forward").graph().block().nodes().size());
    }

    @Test
    void listsOfOptionalsAndEnumsAndConstants() {
        Graph graph = graph(
                "(x: Tensor) -> Tuple[List[Optional[Tensor]], List[int]]",
                "a = annotate(List[Optional[Tensor]], [None, x])",
                "_0 = torch.append(a, x)",
                "return (a, CONSTANTS.c0)");
        assertEquals(
                "Tuple[List[Optional[Tensor]], List[int]]",
                graph.outputs().get(0).type().text());
    }

    @Test
    void brokenCodeNamesWhatIsExpected() {
        for (String[] code : new String[][] {
            {"return y", "unknown name y"},
            {"return x.y", "prim::y"},
            {"return torch.add(x, )[0][1]", ""},
            {"a, b = x, x, x", "3 values"},
            {"return __torch__.m.g(x)", "__torch__.m.g"},
            {"return __torch__.m.f(x, x)", "2 positional"},
            {"return __torch__.m.f()", "missing"},
            {"return CONSTANTS.c7", "CONSTANTS.c7"},
            {"x.a = 1", "attribute a"},
            {"if None:\n    pass", "NoneType"},
            {"for i in x:\n    pass", "range"},
            {"return 1", "int"},
            {"return (1, 2)[5]", "tuple index"},
            {"return annotate(List, x)", "List"},
            {"return annotate(List[int, int], x)", "2 type"},
            {"return fork(x)", "fork"},
            {"f(1) = 2", "left of"},
            {"return isinstance(x)", "1 arguments"},
            {"return ops.x", "ops.x"}
        }) {
            try {
                graph("(x: Tensor) -> Tensor", code[0]);
            } catch (SourceException e) {
                assertTrue(e.getMessage().contains(code[1]), e.getMessage());
                continue;
            }
            assertTrue(code[0].startsWith("return x.y") || code[0].startsWith("return torch.add"), code[0]);
        }
        assertThrows(SourceException.class, () -> graph("(x: Tensor, x: int) -> Tensor", "return x"));
        assertThrows(SourceException.class, () -> graph("(x: Foo) -> Tensor", "return x"));
    }

    @Test
    void namedTuplesMayNotHoldThemselves() {
        CodeLoader loader = Sources.loader("class P(NamedTuple):\n  p : Optional[__torch__.m.P]\n");
        assertThrows(SourceException.class, () -> loader.type("__torch__.m.P"));
    }

    @Test
    void methodsOfConstants() {
        Graph graph = graph("(x: Tensor) -> List[int]", "return annotate(List[int], CONSTANTS.c0.tolist())");
        assertTrue(
                graph.block().nodes().stream().anyMatch(node -> node.is("prim::tolist")),
                () -> GraphPrinter.print(graph));
    }
}
