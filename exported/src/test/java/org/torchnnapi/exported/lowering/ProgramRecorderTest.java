package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.pickle.PickledDict;

/** What runs become as calls of operators, and what they do not. */
class ProgramRecorderTest {
    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static float[] run(ScriptModule module, Object... arguments) {
        return ((Tensor) module.call("forward", arguments)).toFloatArray();
    }

    private static List<String> operators(ScriptModule module) {
        return module.method("forward").graph().block().nodes().stream()
                .filter(node -> !node.outputs().isEmpty() && node.schema() != null)
                .map(Node::kind)
                .filter(kind -> !kind.equals("aten::dim") && !kind.equals("aten::size") && !kind.equals("aten::ne"))
                .collect(Collectors.toList());
    }

    private static String refusal(ScriptModule module, Object... example) {
        return assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(module, List.of(example)))
                .getMessage();
    }

    @Test
    void sizesDecide() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = torch.neg(x)",
                        "for i in range(torch.size(x, 0)):",
                        "  if torch.gt(torch.dim(x), 1):",
                        "    y0 = torch.exp(y)",
                        "  else:",
                        "    y0 = torch.mul(y, i)",
                        "  y = y0",
                        "return y"),
                floats(1, 2));
        assertEquals(List.of("aten::neg", "aten::mul", "aten::mul"), operators(again));
        assertArrayEquals(new float[] {-0f, -0f}, run(again, floats(1, 2)));
    }

    /** A size that is said does not follow from elements, and neither does how many tensors are as large as others. */
    @Test
    void whatSaysItsSizeIsAsLarge() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "places = torch.one_hot(torch.to(x, 4), 4)",
                        "rows = torch.size(places, 1)",
                        "a, b = torch.broadcast_tensors([places, torch.slice(places, 1, 0, rows)])",
                        "return torch.to(torch.add(a, b), 6)"),
                floats(1, 3));
        assertArrayEquals(new float[] {2, 0, 0, 0, 0, 0, 2, 0}, run(again, floats(0, 2)));
        ScriptModule open = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "a = torch.nonzero(x)",
                "b, c = torch.broadcast_tensors([a, a])",
                "return torch.mul(torch.add(b, c), 1.)");
        assertArrayEquals(new float[] {2}, run(WrittenPrograms.again(open, floats(1, 3)), floats(0, 5)));
    }

    @Test
    void elementsDoNot() {
        ScriptModule module =
                WrittenPrograms.function("x: Tensor) -> Tensor", "y = torch.mul(x, float(torch.sum(x)))", "return y");
        assertEquals(
                "aten::Float at code/__torch__.py:5: a number that follows from elements, which are others in another "
                        + "call (expected: operators that PyTorch has today, the same ones whatever the elements are)",
                refusal(module, floats(1, 2)));
    }

    @Test
    void masksGiveSizesThatElementsSay() {
        ScriptModule picked = WrittenPrograms.function(
                "x: Tensor) -> Tensor", "m: List[Optional[Tensor]] = [torch.gt(x, 0)]", "return torch.index(x, m)");
        assertArrayEquals(new float[] {3, 4}, run(WrittenPrograms.again(picked, floats(1, -1, 2)), floats(3, -1, 4)));
    }

    @Test
    void numbersMadeTensorsAreNewInEachCall() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "t = torch.tensor([1., 2.])",
                        "u = torch.add_(t, 1)",
                        "return torch.add(x, t)"),
                floats(0, 0));
        assertArrayEquals(new float[] {2, 3}, run(again, floats(0, 0)));
        assertArrayEquals(new float[] {2, 3}, run(again, floats(0, 0)));
    }

    @Test
    void numbersAreNumbersInPromotion() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function("x: Tensor) -> Tensor", "return torch.add(x, torch.div(1, 2))"),
                Tensor.of(new int[] {1, 2}, 2));
        Tensor result = (Tensor) again.call("forward", Tensor.of(new int[] {1, 2}, 2));
        assertEquals("float32", result.dtype().torchName());
    }

    @Test
    void writesInPlaceStay() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = torch.clone(x)",
                        "z = torch.add_(torch.select(y, 0, 1), 10)",
                        "return y"),
                floats(1, 2));
        assertArrayEquals(new float[] {5, 16}, run(again, floats(5, 6)));
    }

    @Test
    void writesOfTorchScriptsOwnFormsStay() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = torch.zeros([2])",
                        "a = torch.copy_(torch.select(y, 0, 0), 5.)",
                        "z = torch.zeros([2])",
                        "b = torch._no_grad_fill_(torch.select(z, 0, 1), 7.)",
                        "return torch.add(torch.add(x, y), z)"),
                floats(1, 2));
        assertArrayEquals(new float[] {6, 9}, run(again, floats(1, 2)));
    }

    @Test
    void resultsAreWrittenIntoWhatIsGiven() {
        ScriptModule module =
                WrittenPrograms.function("x: Tensor, y: Tensor) -> Tensor", "return torch.add(x, x, alpha=2, out=y)");
        ScriptModule again = WrittenPrograms.again(module, floats(1, 2), floats(0, 0));
        Tensor given = floats(0, 0);
        assertArrayEquals(new float[] {9, 12}, run(again, floats(3, 4), given));
        assertArrayEquals(new float[] {9, 12}, given.toFloatArray());
        assertTrue(refusal(module, floats(1, 2), floats()).contains("it resizes the tensor that it writes into"));
    }

    @Test
    void unusedCallsAreLeftOut() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function("x: Tensor) -> Tensor", "y = torch.exp(x)", "return torch.neg(x)"), floats(1));
        assertEquals(List.of("aten::neg"), operators(again));
    }

    @Test
    void operatorsOfTorchScriptAloneAreWhatTheyAreMadeOf() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor", "return torch.__interpolate(x, 4, None, \"nearest\", None, None)"),
                Tensor.of(new float[] {1, 2}, 1, 1, 2));
        assertArrayEquals(new float[] {1, 1, 2, 2}, run(again, Tensor.of(new float[] {1, 2}, 1, 1, 2)));
    }

    @Test
    void whatActsBesideTensorsIsRefused() {
        String told = refusal(
                WrittenPrograms.function("x: Tensor) -> Tensor", "torch.manual_seed(3)", "return torch.rand_like(x)"),
                floats(1));
        assertTrue(told.startsWith("aten::manual_seed at code/__torch__.py:5: it acts on more than tensors"), told);
    }

    @Test
    void stateIsReadOtherwiseTheNextTime() {
        PickledDict state = new PickledDict(null).put("n", floats(1));
        String declared = "__parameters__ = []\n__buffers__ = [\"n\", ]\nn : Tensor";
        ScriptModule counted = WrittenPrograms.module(
                state,
                declared,
                "x: Tensor) -> Tensor",
                "k = float(self.n)",
                "m = torch.add_(self.n, 1)",
                "return torch.mul(x, k)");
        String told = refusal(counted, floats(1));
        assertTrue(told.startsWith("aten::Float at code/__torch__.py:6: a number that follows from elements"), told);
        assertArrayEquals(new float[] {1}, ((Tensor) counted.attribute("n")).toFloatArray());
        ScriptModule constant =
                WrittenPrograms.module(state, declared, "x: Tensor) -> Tensor", "return torch.mul(x, float(self.n))");
        assertArrayEquals(new float[] {2}, run(WrittenPrograms.again(constant, floats(1)), floats(2)));
    }
}
