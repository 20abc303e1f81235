package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Branches and loops that elements decide, written and read again. */
class ControlFlowCallsTest {
    private static final float[][] INPUTS = {{1, 2, 3}, {-1, -2, 3}, {-4, -5, -6}, {0, 0, 0}, {90, 4, 70}};

    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static float[] numbers(Object value) {
        return value instanceof ScriptTuple tuple
                ? numbers(tuple.items().get(tuple.items().size() - 1))
                : ((Tensor) value).toFloatArray();
    }

    /** Writes a method on one of the inputs and compares with it on all, however it was decided on that one. */
    private static void sameForAll(ScriptModule module) {
        for (int example = 0; example < 2; example++) {
            ScriptModule again = WrittenPrograms.again(module, floats(INPUTS[example]));
            for (float[] input : INPUTS) {
                assertArrayEquals(
                        numbers(module.call("forward", floats(input))),
                        numbers(again.call("forward", floats(input))),
                        "example " + example);
            }
        }
    }

    private static void refused(String told, ScriptModule module) {
        String message = assertThrows(
                        UnwritableProgramException.class, () -> WrittenPrograms.again(module, floats(1, 2, 3)))
                .getMessage();
        assertTrue(message.contains(told), message);
    }

    @Test
    void bothWaysOfABranchAreWritten() {
        PickledDict state = new PickledDict(null);
        state.put("w", floats(10, 20, 30));
        sameForAll(WrittenPrograms.module(
                state,
                "__parameters__ = [\"w\", ]\n__buffers__ = []\nw : Tensor",
                "x: Tensor) -> Tensor",
                "if bool(torch.gt(torch.sum(x), 0)):",
                "  y = torch.add(x, self.w)",
                "else:",
                "  y = torch.mul(x, torch.tensor(2.))",
                "return torch.add(y, x)"));
    }

    @Test
    void whatAWayGivesUnchangedIsACopy() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "y = torch.add(x, 1)",
                "if bool(torch.gt(torch.sum(x), 0)):",
                "  z = torch.mul(x, 3)",
                "else:",
                "  z = y",
                "z0 = torch.add_(z, 5)",
                "return torch.mul(z0, 2)");
        sameForAll(module);
    }

    @Test
    void branchesInBranchesAndConditionsOfSeveral() {
        sameForAll(WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "s = torch.sum(x)",
                "if bool(torch.gt(s, 0)):",
                "  if bool(torch.lt(torch.max(x), 50)):",
                "    a, b = torch.neg(x), torch.add(x, s)",
                "  else:",
                "    a, b = torch.add(x, 7), x",
                "  c, d = a, torch.mul(a, b)",
                "else:",
                "  c, d = x, s",
                "  d = torch.mul(x, s)",
                "if bool(torch.gt(s, 0)):",
                "  big = bool(torch.lt(s, 100))",
                "else:",
                "  big = False",
                "if torch.__not__(big):",
                "  e = torch.add(c, 100)",
                "else:",
                "  e = torch.mul(c, 100)",
                "return torch.add(e, d)"));
    }

    @Test
    void numbersThatAreComparedAreTensors() {
        sameForAll(WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "n = float(torch.item(torch.sum(x)))",
                "if torch.gt(n, 0.1):",
                "  y = torch.add(x, 1)",
                "else:",
                "  y = torch.sub(x, 1)",
                "if torch.le(3, int(torch.to(torch.select(x, 0, 0), 4))):",
                "  z = torch.mul(y, 2)",
                "else:",
                "  z = torch.mul(y, 3)",
                "return z"));
    }

    @Test
    void loopsRunUntilElementsEndThem() {
        sameForAll(WrittenPrograms.function(
                "x: Tensor) -> Tuple[Tensor, Tensor]",
                "y = torch.add(torch.abs(x), 1)",
                "n = torch.tensor(0)",
                "_0 = bool(torch.lt(torch.sum(y), 100))",
                "_1, y0, n0 = _0, y, n",
                "while _1:",
                "  y1 = torch.add(torch.mul(y0, 2), x)",
                "  n1 = torch.add(n0, 1)",
                "  _2 = bool(torch.lt(torch.sum(torch.abs(y1)), 100))",
                "  _1, y0, n0 = _2, torch.add(torch.abs(y1), 1), n1",
                "return (n0, torch.add(y0, n0))"));
    }

    @Test
    void aLoopWhoseFirstConditionIsFixed() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "_1, y = True, torch.add(torch.abs(x), 1)",
                "while _1:",
                "  y = torch.mul(y, 2)",
                "  _1 = bool(torch.lt(torch.sum(y), 100))",
                "return y");
        sameForAll(module);
    }

    @Test
    void anEarlyReturnLeavesTheRestOut() {
        sameForAll(WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "_0 = uninitialized(Tensor)",
                "if bool(torch.gt(torch.sum(x), 0)):",
                "  _1, _2 = True, torch.mul(x, 3)",
                "else:",
                "  _1, _2 = False, _0",
                "if _1:",
                "  _3 = _2",
                "else:",
                "  _3 = torch.sub(x, 9)",
                "return _3"));
    }

    @Test
    void aBranchThatRaisesIsACheck() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "if bool(torch.gt(torch.min(x), 0)):",
                "  pass",
                "else:",
                "  ops.prim.RaiseException(\"only positive\")",
                "return torch.mul(x, 2)");
        ScriptModule again = WrittenPrograms.again(module, floats(1, 2, 3));
        assertArrayEquals(new float[] {8, 10, 12}, numbers(again.call("forward", floats(4, 5, 6))));
        assertThrows(ScriptException.class, () -> again.call("forward", floats(4, -5, 6)));
    }

    @Test
    void whatProgramsCannotSayIsRefused() {
        refused(
                "value 0 is another number, or a tensor of another type or size",
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "if bool(torch.gt(torch.sum(x), 0)):",
                        "  y = torch.cat([x, x], 0)",
                        "else:",
                        "  y = x",
                        "return y"));
        refused(
                "changes what was there before it",
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = torch.add(x, 1)",
                        "if bool(torch.gt(torch.sum(x), 0)):",
                        "  _0 = torch.add_(y, 1)",
                        "else:",
                        "  pass",
                        "return y"));
        refused(
                "changes what was there before it",
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "l = annotate(List[Tensor], [x])",
                        "if bool(torch.gt(torch.sum(x), 0)):",
                        "  _0 = torch.append(l, x)",
                        "else:",
                        "  pass",
                        "return torch.cat(l, 0)"));
        refused(
                "another number, or a tensor of another type or size, in all rounds of a loop",
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = x",
                        "i = 0",
                        "_0 = bool(torch.lt(torch.sum(x), 100))",
                        "while _0:",
                        "  y = torch.add(y, i)",
                        "  i = torch.add(i, 1)",
                        "  _0 = bool(torch.lt(torch.sum(y), 100))",
                        "return y"));
    }

    @Test
    void loopsCountInTensors() {
        sameForAll(WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "y = torch.add(torch.abs(x), 1)",
                "i = 0",
                "_0 = bool(torch.lt(torch.sum(y), 100))",
                "while torch.__and__(_0, torch.lt(i, 3)):",
                "  y = torch.mul(y, 2)",
                "  i = torch.add(i, 1)",
                "  _0 = bool(torch.lt(torch.sum(y), 100))",
                "if torch.gt(i, 1):",
                "  z = torch.neg(y)",
                "else:",
                "  z = torch.add(y, 0.5)",
                "return z"));
    }

    @Test
    void graphsHaveTheFormThatPyTorchWrites() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "if bool(torch.gt(torch.sum(x), 0)):",
                "  y = torch.add(x, 1)",
                "else:",
                "  y = torch.mul(x, 2)",
                "return y");
        byte[] bytes = WrittenPrograms.bytes(ProgramFile.of(module, List.of(floats(1, 2, 3))));
        String text = new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("\\s", "");
        assertTrue(
                text.contains("\"target\":\"torch.ops.higher_order.cond\",\"inputs\":[{\"name\":\"\",\"arg\":"
                        + "{\"as_tensor\":{\"name\":\"gt_1\"}},\"kind\":1},{\"name\":\"\","
                        + "\"arg\":{\"as_graph\":{\"name\":"
                        + "\"true_graph_0\""),
                text);
        assertTrue(text.contains("\"is_hop_single_tensor_return\":false"), text);
        assertEquals(DType.FLOAT32, ((Tensor) Pt2File.load(bytes).call("forward", floats(1, 2, 3))).dtype());
    }
}
