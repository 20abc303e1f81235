package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;

class FunctionalizeTest {
    /** The kinds of the aten operators that are left of a function of {@code x: Tensor}, in order. */
    private static List<String> operators(String... body) {
        return kinds("Tensor", body);
    }

    private static List<String> exactly(String... body) {
        return kinds("Tensor", Functionalize::exactly, body);
    }

    private static List<String> kinds(String result, String... body) {
        return kinds(result, graph -> Functionalize.run(graph, null, true), body);
    }

    private static List<String> kinds(String result, Predicate<Graph> pass, String... body) {
        String text = "def f(x: Tensor) -> " + result + ":\n  " + String.join("\n  ", body) + "\n";
        CodeArchive archive = new CodeArchive() {
            @Override
            public String source(String entry) {
                return Map.of("code/__torch__/m.py", text).get(entry);
            }

            @Override
            public Object constant(int index) {
                return Tensor.of(new float[] {1, 2}, 2);
            }
        };
        Graph graph = new CodeLoader(archive, OperatorRegistry.withBuiltins())
                .function("__torch__.m.f")
                .graph();
        pass.test(graph);
        GraphVerifier.verify(graph);
        return graph.block().nodes().stream()
                .map(Node::kind)
                .filter(kind -> kind.startsWith("aten::"))
                .toList();
    }

    @Test
    void anInputIsWrittenBack() {
        assertEquals(List.of("aten::relu", "aten::copy_"), operators("return torch.relu_(x)"));
    }

    @Test
    void whatMayBeAViewOfAnInputStaysWrittenTo() {
        assertEquals(
                List.of("aten::flatten", "aten::relu_"), operators("y = torch.flatten(x)", "return torch.relu_(y)"));
    }

    @Test
    void aResultIsReplacedAlsoUnderItsOwnName() {
        assertEquals(
                List.of("aten::neg", "aten::relu", "aten::add"),
                operators("y = torch.neg(x)", "_0 = torch.relu_(y)", "return torch.add(y, _0)"));
    }

    @Test
    void aConstantBiasSharesNoMemoryWithTheConvolutionsResult() {
        assertEquals(
                List.of("aten::linear", "aten::relu"),
                operators("y = torch.linear(x, CONSTANTS.c0, CONSTANTS.c0)", "return torch.relu_(y)"));
    }

    @Test
    void elementsOfAConcatenationStayApart() {
        assertEquals(
                List.of("aten::neg", "aten::relu", "aten::abs", "aten::relu", "aten::cat"),
                operators(
                        "a = torch.relu_(torch.neg(x))", "b = torch.relu_(torch.abs(x))", "return torch.cat([a, b])"));
    }

    @Test
    void aListThatIsReadAfterTheWriteIsMadeAnew() {
        assertEquals(
                List.of("aten::neg", "aten::relu", "aten::cat"),
                operators("a = torch.neg(x)", "l = [a, x]", "_0 = torch.relu_(a)", "return torch.cat(l)"));
    }

    @Test
    void returnedTensorsStayApart() {
        assertEquals(
                List.of("aten::neg", "aten::abs", "aten::relu"),
                pair("a = torch.neg(x)", "b = torch.abs(x)", "_0 = torch.relu_(b)", "return (a, b)"));
    }

    @Test
    void whatIsReturnedOfATupleMadeBeforeTheWriteIsMadeAnew() {
        assertEquals(
                List.of("aten::neg", "aten::relu"),
                pair("a = torch.neg(x)", "t = (a, a)", "_0 = torch.relu_(a)", "return t"));
    }

    /** As {@link #operators}, of a function that returns two tensors. */
    private static List<String> pair(String... body) {
        return kinds("Tuple[Tensor, Tensor]", body);
    }

    @Test
    void theResultOfAWriteIntoAPartIsThatPartAfterIt() {
        assertEquals(
                List.of("aten::neg", "aten::slice", "aten::add", "aten::slice_scatter", "aten::mul"),
                operators(
                        "y = torch.neg(x)",
                        "v = torch.slice(y, 0, 1, 2)",
                        "w = torch.add_(v, 1)",
                        "return torch.mul(w, y)"));
        assertEquals(
                List.of("aten::neg", "aten::slice", "aten::add", "aten::slice_scatter", "aten::mul"),
                operators(
                        "y = torch.neg(x)",
                        "v = torch.slice(y, 0, 1, 2)",
                        "_0 = torch.add_(v, 1)",
                        "return torch.mul(v, y)"));
    }

    @Test
    void aPartThatIsSetToZeroOrToATensorBecomesAPartOfANewTensor() {
        assertEquals(
                List.of("aten::neg", "aten::slice", "aten::zeros_like", "aten::slice_scatter"),
                operators("y = torch.neg(x)", "_0 = torch.zero_(torch.slice(y, 0, 1, 2))", "return y"));
        assertEquals(
                List.of(
                        "aten::neg",
                        "aten::slice",
                        "aten::sum",
                        "aten::expand_as",
                        "aten::type_as",
                        "aten::clone",
                        "aten::slice_scatter"),
                operators("y = torch.neg(x)", "_0 = torch.fill_(torch.slice(y, 0, 1, 2), torch.sum(x))", "return y"));
    }

    /**
     * A list that is appended to shares memory with all that is in it, so that its tensors would seem to share it with
     * each other.
     */
    @Test
    void whatIsPutIntoAListLaterIsKnownByOneNameBefore() {
        assertEquals(
                List.of("aten::neg", "aten::relu", "aten::append", "aten::abs", "aten::relu", "aten::append"),
                kinds(
                        "List[Tensor]",
                        "l = annotate(List[Tensor], [])",
                        "y = torch.neg(x)",
                        "_0 = torch.append(l, torch.relu_(y))",
                        "z = torch.abs(y)",
                        "_1 = torch.append(l, torch.relu_(z))",
                        "return l"));
    }

    @Test
    void whatIsInAListBeforeStaysWrittenTo() {
        assertEquals(
                List.of("aten::neg", "aten::append", "aten::relu_"),
                kinds(
                        "List[Tensor]",
                        "l = annotate(List[Tensor], [])",
                        "y = torch.neg(x)",
                        "_0 = torch.append(l, y)",
                        "_1 = torch.relu_(y)",
                        "return l"));
        assertEquals(
                List.of("aten::neg", "aten::flatten", "aten::append", "aten::relu_", "aten::append"),
                kinds(
                        "List[Tensor]",
                        "l = annotate(List[Tensor], [])",
                        "y = torch.neg(x)",
                        "_0 = torch.append(l, torch.flatten(y))",
                        "_1 = torch.append(l, torch.relu_(y))",
                        "return l"));
    }

    @Test
    void exactlyOnlyWhatKeepsSizesAndType() {
        assertEquals(
                List.of("aten::neg", "aten::relu", "aten::neg", "aten::add_"),
                exactly("y = torch.neg(x)", "z = torch.relu_(y)", "v = torch.neg(z)", "return torch.add_(v, x)"));
        assertEquals(
                List.of("aten::neg", "aten::relu_", "aten::add_"),
                exactly("y = torch.neg(x)", "z = torch.relu_(y)", "return torch.add_(z, x)"),
                "a storage stays written to as a whole");
    }
}
