package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SchemaParser;

class UpgradersTest {
    private static final List<FunctionSchema> OPERATORS = List.of(
                    "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
                    "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
                    "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
                    "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
                    "aten::div.int(int a, int b) -> float",
                    "aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                    "aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                    "aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)",
                    "aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)",
                    "aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
                    "aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> "
                            + "Tensor(a!)",
                    "aten::linspace.out(Scalar start, Scalar end, int steps, *, Tensor(a!) out) -> Tensor(a!)",
                    "aten::logspace.out(Scalar start, Scalar end, int steps, float base=10.0, *, Tensor(a!) out) -> "
                            + "Tensor(a!)",
                    "aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
                            + "Device? device=None, bool? pin_memory=None) -> Tensor",
                    "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? "
                            + "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                    "aten::logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, "
                            + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                    "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
                    "aten::is_floating_point(Tensor self) -> bool",
                    "aten::Float.Scalar(Scalar a) -> float",
                    "aten::__is__(t1 self, t2 obj) -> bool")
            .stream()
            .map(SchemaParser::parse)
            .toList();

    private static Node node(int version, String call) {
        CodeArchive archive = new CodeArchive() {
            @Override
            public String source(String entry) {
                return Sources.function("(x: Tensor, n: int) -> Tensor", "return " + call);
            }

            @Override
            public Object constant(int index) {
                return null;
            }

            @Override
            public int operatorVersion() {
                return version;
            }
        };
        CodeLoader loader = new CodeLoader(
                archive,
                kind -> OPERATORS.stream().filter(o -> o.name().equals(kind)).toList());
        Graph graph = loader.function("__torch__.m.f").graph();
        GraphVerifier.verify(graph);
        return graph.outputs().get(0).definition();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        torch.div(x, x)                | 4  | div_Tensor
        torch.div(x, n)                | 4  | div_Scalar
        torch.div(x, x, out=x)         | 4  | div_out
        torch.div_(x, x)               | 4  | div__Tensor
        torch.div_(x, 2.)              | 4  | div__Scalar
        torch.full([2], n, dtype=None) | 5  | full
        torch.linspace(0, 1)           | 8  | linspace
        torch.logspace(0, n)           | 9  | logspace
        torch.gelu(x)                  | 10 | gelu
        torch.linspace(0, 1, 5, out=x) | 8  | linspace_out
        torch.logspace(0, 1, 5, out=x) | 9  | logspace_out
        """)
    void olderArchivesGetTheOldMeaning(String call, int version, String function) {
        Node old = node(version - 1, call);
        assertEquals("prim::CallFunction", old.kind());
        Function upgrader = (Function) old.attribute("function");
        assertEquals("__torch__.upgraders." + function, upgrader.qualifiedName());
        GraphVerifier.verify(upgrader.graph());
        upgrader.graph().block().nodes().forEach(node -> assertEquals(null, node.attribute("unresolved"), node.kind()));
        Node current = node(version, call);
        assertEquals(
                call.substring("torch.".length(), call.indexOf('(')),
                current.kind().substring("aten::".length()));
    }

    @Test
    void divisionOfNumbersNeverChanged() {
        CodeLoader loader = Sources.loader(
                Sources.function("() -> float", "return torch.div(7, 2)"),
                kind -> OPERATORS.stream().filter(o -> o.name().equals(kind)).toList());
        assertEquals(
                "int",
                loader.function("__torch__.m.f")
                        .graph()
                        .outputs()
                        .get(0)
                        .definition()
                        .schema()
                        .overload());
    }
}
