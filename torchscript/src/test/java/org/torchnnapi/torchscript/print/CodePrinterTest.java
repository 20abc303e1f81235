package org.torchnnapi.torchscript.print;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.source.Sources;

/** Text, as PyTorch 1.13 writes it, to graphs and back. */
class CodePrinterTest {
    private static final List<String> SCHEMAS = List.of(
            "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
            "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
            "aten::add.int(int a, int b) -> int",
            "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
            "aten::lt.int(int a, int b) -> bool",
            "aten::gt.int(int a, int b) -> bool",
            "aten::len.t(t[] a) -> int",
            "aten::append.t(t[](a!) self, t el) -> t[](a!)",
            "aten::__is__(t1 self, t2 obj) -> bool",
            "aten::size.int(Tensor self, int dim) -> int",
            "aten::relu(Tensor self) -> Tensor",
            "aten::__getitem__.t(t[](a) list, int idx) -> t(*)",
            "aten::Bool.Tensor(Tensor a) -> bool",
            "aten::FloatImplicit(Tensor a) -> float",
            "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
            "aten::wait(Future(t) self) -> t",
            "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
            "aten::neg.int(int a) -> int",
            "aten::__and__.bool(bool a, bool b) -> bool",
            "aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? retain_graph=None) -> "
                    + "Tensor?[]",
            "prim::ModuleContainerIndex.dict(Any self, str ind) -> Any",
            "aten::format(str self, ...) -> str",
            "prim::RaiseException(str msg, str? cls=None) -> ()");

    private static List<FunctionSchema> operators(String kind) {
        List<FunctionSchema> found = new ArrayList<>();
        for (String schema : SCHEMAS) {
            if (schema.startsWith(kind + ".") || schema.startsWith(kind + "(")) {
                found.add(SchemaParser.parse(schema));
            }
        }
        return found;
    }

    /** Reads, prints, reads and prints a file whose root is the class or function of that name. */
    private static String printed(String root, String text) {
        String once = print(root, text);
        assertEquals(once, print(root, once), "printed again");
        return once;
    }

    private static String print(String root, String text) {
        CodeLoader loader = Sources.loader(text, CodePrinterTest::operators);
        CodePrinter printer = new CodePrinter(loader::fieldDefaults);
        Type type = loader.type("__torch__.m." + root);
        return (type == null ? printer.add(loader.function("__torch__.m." + root)) : printer.add(type))
                .print()
                .sources()
                .get("code/__torch__/m.py");
    }

    private static void assertStays(String root, String text) {
        assertEquals(text, printed(root, text));
    }

    @Test
    void keepsWhatFitsInOneLine() {
        assertStays("f", """
            def f(x: Tensor,
                n: int=2) -> Tensor:
              y = torch.add(x, n)
              return torch.mul(y, torch.relu(y))
            """);
    }

    @Test
    void takesLongExpressionsApartInTheOrderOfTheirWork() {
        assertEquals("""
            def f(first: Tensor,
                second: Tensor) -> Tensor:
              _0 = torch.relu(first)
              _1 = torch.relu(torch.add(torch.relu(second), first))
              _2 = torch.mul(_0, torch.mul(_1, torch.relu(first)))
              return _2
            """, printed("f", """
            def f(first: Tensor, second: Tensor) -> Tensor:
              return torch.mul(torch.relu(first), torch.mul(torch.relu(torch.add(torch.relu(second), first)), \
            torch.relu(first)))
            """));
    }

    @Test
    void branchesAndLoopsAssignTheirResults() {
        assertStays("f", """
            def f(x: Tensor,
                k: int) -> Tensor:
              x0 = x
              for i in range(k):
                if torch.gt(i, 1):
                  x1 = torch.add(x0, i)
                else:
                  x1 = x0
                x0 = torch.relu(x1)
              n = 0
              _0 = torch.lt(0, k)
              while _0:
                n0 = torch.add(n, 1)
                _0, n = torch.lt(n0, k), n0
              if torch.gt(n, 3):
                pass
              else:
                ops.prim.RaiseException("small")
              return torch.add(x0, n)
            """);
    }

    /** PyTorch takes several types of one variable only where it is told them. */
    @Test
    void unionsAreDeclaredWhereTheyAreFirstAssigned() {
        assertStays("f", """
            def f(x: List[int],
                k: int) -> Union[List[int], int]:
              if torch.gt(k, 1):
                y : Union[List[int], int] = x
              else:
                y = k
              z: Union[List[int], int] = y
              for i in range(k):
                z = i
              return z
            """);
    }

    @Test
    void partsOfContainersAreDeclaredAndGradientsHavePythonsNames() {
        assertStays("Net", """
            class Net(Module):
              __parameters__ = []
              __buffers__ = []
              __forward_pre_hooks__ = ["before", ]
              __forward_hooks__ = ["behind", "also", ]
              def forward(self: __torch__.m.Net,
                x: Tensor,
                key: str) -> Tensor:
                _0 : __torch__.m.Act = self[key]
                _1 = torch.autograd.grad([x], [x])
                return (_0).forward(x, )
              def before(self: __torch__.m.Net,
                x: Tuple[int]) -> Tuple[int]:
                return x
              def behind(self: __torch__.m.Net,
                x: Tuple[int],
                y: int) -> int:
                return y
              def also(self: __torch__.m.Net,
                x: Tuple[int],
                y: int) -> int:
                return y
            class Act(ModuleInterface):
              def forward(self, x: Tensor) -> Tensor:
                pass
            """);
    }

    @Test
    void longTextsComeFirst() {
        assertStays("f", """
            def f(x: Tensor) -> str:
              _0 = "a text that takes more than forty columns \\'\\n"
              return torch.format(_0, torch.size(x, 0))
            """);
    }

    @Test
    void severalResultsTuplesListsAndForks() {
        assertStays("f", """
            def f(x: Tensor,
                t: Tuple[Tensor, int]) -> Tuple[Tensor, List[Tensor]]:
              values, _0 = torch.max(x, 0)
              a, b, = t
              all = annotate(List[Tensor], [])
              _1 = torch.append(all, torch.add(a, b))
              def __forked_function():
                return torch.add(x, (t)[1])
              y = fork(__forked_function)
              return (torch.wait(y), [values, all[0]])
            """);
    }

    @Test
    void classesOfAllKinds() {
        assertStays("Net", """
            class Net(Module):
              __parameters__ = ["w", ]
              __buffers__ = []
              w : Tensor
              training : bool
              act : __torch__.m.Act
              __annotations__["0"] = __torch__.m.Pair
              state : Optional[__torch__.m.Box]
              k : Final[int] = 3
              def forward(self: __torch__.m.Net,
                x: Tensor) -> Tensor:
                act = self.act
                _0 = getattr(self, "0")
                self.w = (act).forward((_0)[0], )
                box = __torch__.m.Box.__new__(__torch__.m.Box)
                _1 = (box).__init__(__torch__.m.helper(x, ), )
                self.state = box
                return x
            class Act(ModuleInterface):
              def forward(self, x: Tensor) -> Tensor:
                pass
            class Pair(NamedTuple):
              left : Tensor
              kind : __torch__.m.Color = __torch__.m.Color.RED
            class Box:
              inside : Tensor
              def __init__(self: __torch__.m.Box,
                inside: Tensor) -> NoneType:
                self.inside = inside
                return None
            def helper(x: Tensor) -> Tensor:
              return torch.relu(x)
            class Color(Enum):
              RED = 1
              BLUE = 2
            """);
    }

    @Test
    void loopsWithLimitAndConditionCount() {
        Graph graph = new Graph();
        Value limit = graph.addInput(Type.Basic.INT, "limit");
        Value go = graph.addInput(Type.Basic.BOOL, "go");
        Value start = graph.block().append(graph.constant(0L, Type.Basic.INT)).output();
        Node loop = graph.block().append(graph.create("prim::Loop", List.of(limit, go, start), Type.Basic.INT));
        Value index = loop.addBlock().addParameter(Type.Basic.INT, null);
        Value sum = loop.blocks().get(0).addParameter(Type.Basic.INT, "sum");
        Node add = graph.create("aten::add", List.of(sum, index), Type.Basic.INT)
                .schema(operators("aten::add").get(2));
        loop.blocks().get(0).append(add);
        loop.blocks().get(0).addResult(go);
        loop.blocks().get(0).addResult(add.output());
        graph.block().addResult(loop.output());
        GraphVerifier.verify(graph);
        FunctionSchema schema = new FunctionSchema(
                "f",
                "",
                List.of(
                        FunctionSchema.Argument.of("limit", Type.Basic.INT),
                        FunctionSchema.Argument.of("go", Type.Basic.BOOL)),
                List.of(FunctionSchema.Argument.of("", Type.Basic.INT)),
                false);
        assertEquals("""
            def f(limit: int,
                go: bool) -> int:
              _0 = 0
              _1 = 0
              _2 = torch.__and__(torch.lt(_1, limit), go)
              while _2:
                _3 = torch.add(_1, 1)
                _4 = torch.__and__(torch.lt(_3, limit), go)
                _2, _1, _0 = _4, _3, torch.add(_0, _1)
              return _0
            """, CodePrinter.text(new Function("__torch__.m.f", schema, () -> graph)));
    }

    @Test
    void valuesWithoutTextAreConstants() {
        Graph graph = new Graph();
        Tensor tensor = Tensor.of(new float[] {1, 2}, 2);
        Value a =
                graph.block().append(graph.constant(tensor, Type.Basic.TENSOR)).output();
        Value b = graph.block()
                .append(graph.constant(Tensor.of(new float[] {1, 2}, 2), Type.Basic.TENSOR))
                .output();
        Value text = graph.block()
                .append(graph.constant("gr\u00fcn", Type.Basic.STRING))
                .output();
        graph.block()
                .addResult(graph.block()
                        .append(graph.create(
                                "prim::TupleConstruct",
                                List.of(a, b, text),
                                Type.TupleType.of(List.of(Type.Basic.TENSOR, Type.Basic.TENSOR, Type.Basic.STRING))))
                        .output());
        FunctionSchema schema = new FunctionSchema(
                "f",
                "",
                List.of(),
                List.of(FunctionSchema.Argument.of("", graph.outputs().get(0).type())),
                false);
        PrintedCode code = new CodePrinter()
                .add(new Function("__torch__.m.f", schema, () -> graph))
                .print();
        assertEquals(
                "def f() -> Tuple[Tensor, Tensor, str]:\n  _0 = (CONSTANTS.c0, CONSTANTS.c0, CONSTANTS.c1)\n  return "
                        + "_0\n",
                code.sources().get("code/__torch__/m.py"));
        assertEquals(List.of(tensor, "gr\u00fcn"), code.constants());
    }

    @Test
    void changedOperatorsAskForTheirFormat() {
        Function f = Sources.loader(
                        "def f(x: Tensor) -> Tensor:\n  return torch.div(x, x)\n", CodePrinterTest::operators)
                .function("__torch__.m.f");
        assertEquals(4, new CodePrinter().add(f).print().version());
    }

    @Test
    void namesStandForOneTypeEach() {
        CodePrinter printer = new CodePrinter().add(new ClassType("__torch__.m.A", ClassType.Kind.MODULE));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> printer.add(new ClassType("__torch__.m.A", ClassType.Kind.MODULE)));
        assertEquals(
                "name: __torch__.m.A stands for two different types (expected: one name for each)", e.getMessage());
    }
}
