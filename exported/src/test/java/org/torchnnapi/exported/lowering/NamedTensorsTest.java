package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** What calls change of a module, as programs have it. */
class NamedTensorsTest {
    private static final String TWO = "__parameters__ = []\n__buffers__ = [\"a\", \"b\", ]\na : Tensor\nb : Tensor";

    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static float[] run(ScriptModule module, Object... arguments) {
        return ((Tensor) module.call("forward", arguments)).toFloatArray();
    }

    private static PickledDict two() {
        return new PickledDict(null).put("a", floats(1)).put("b", floats(2));
    }

    @Test
    void buffersThatAreWrittenToStayWritten() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.module(
                        two(), TWO, "x: Tensor) -> Tensor", "c = torch.add_(self.a, x)", "return torch.mul(c, 1)"),
                floats(1));
        assertArrayEquals(new float[] {11}, run(again, floats(10)));
        assertArrayEquals(new float[] {21}, run(again, floats(10)));
    }

    @Test
    void parametersThatAreWrittenToAreLeftAsTheyWere() {
        ScriptModule module = WrittenPrograms.module(
                new PickledDict(null).put("w", floats(1)),
                "__parameters__ = [\"w\", ]\n__buffers__ = []\nw : Tensor",
                "x: Tensor) -> Tensor",
                "return torch.mul(torch.add_(self.w, x), 1)");
        ScriptModule again = WrittenPrograms.again(module, floats(1));
        assertArrayEquals(new float[] {1}, ((Tensor) module.attribute("w")).toFloatArray());
        assertArrayEquals(new float[] {11}, run(again, floats(10)));
        assertArrayEquals(new float[] {21}, run(again, floats(10)));
    }

    @Test
    void attributesThatAreSetAreCopiedAtTheEnd() {
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.module(
                        two(),
                        TWO,
                        "x: Tensor) -> Tensor",
                        "old = self.a",
                        "self.a = self.b",
                        "self.b = torch.add(old, x)",
                        "return old"),
                floats(1));
        assertArrayEquals(new float[] {1}, run(again, floats(10)));
        assertArrayEquals(new float[] {2}, ((Tensor) again.attribute("a")).toFloatArray());
        assertArrayEquals(new float[] {11}, ((Tensor) again.attribute("b")).toFloatArray());
        assertArrayEquals(new float[] {2}, run(again, floats(10)));
        assertArrayEquals(new float[] {11}, ((Tensor) again.attribute("a")).toFloatArray());
    }

    /** As programs that were read have it: what the code makes then has another name. */
    @Test
    void constantsOfTheCodeDoNotTakeTheModulesNames() {
        ScriptModule module = WrittenPrograms.module(
                new PickledDict(null).put("lifted_tensor_0", floats(5)),
                "__parameters__ = []\n__buffers__ = []\nlifted_tensor_0 : Tensor",
                "x: Tensor) -> Tensor",
                "a = torch.add(x, self.lifted_tensor_0)",
                "return torch.mul(a, torch.tensor([2., 3.]))");
        ScriptModule again = WrittenPrograms.again(module, floats(1, 1));
        assertArrayEquals(new float[] {12, 18}, run(again, floats(1, 1)));
        assertArrayEquals(new float[] {14, 21}, run(WrittenPrograms.again(again, floats(1, 1)), floats(2, 2)));
    }

    /** Two keys may be one identifier. */
    @Test
    void partsOfADictionaryHaveNamesOfTheirOwn() {
        ScriptModule module = WrittenPrograms.module(
                new PickledDict(null)
                        .put(
                                "both",
                                new PickledDict("Dict[str, Tensor]")
                                        .put("a b", floats(1))
                                        .put("a_b", floats(10))),
                "__parameters__ = []\n__buffers__ = []\nboth : Dict[str, Tensor]",
                "x: Tensor) -> Tensor",
                "return torch.add(torch.mul(x, self.both[\"a b\"]), self.both[\"a_b\"])");
        assertArrayEquals(new float[] {13}, run(WrittenPrograms.again(module, floats(1)), floats(3)));
    }

    @Test
    void whatIsNoTensorDoesNotChange() {
        ScriptModule counter = WrittenPrograms.module(
                new PickledDict(null).put("n", 0L).put("kept", new PickledList("List[Tensor]", List.of())),
                "__parameters__ = []\n__buffers__ = []\nn : int\nkept : List[Tensor]",
                "x: Tensor) -> Tensor",
                "self.n = torch.add(self.n, 1)",
                "kept = torch.append(self.kept, x)",
                "return torch.neg(x)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(counter, List.of(floats(1))))
                .getMessage();
        assertTrue(
                told.startsWith(
                        "n: an attribute that a call sets or joins with another; a program keeps tensors of one size "
                                + "each; kept: "),
                told);
    }

    @Test
    void whatEachCallSetsAlikeMayBeNoTensor() {
        String declarations = "__parameters__ = []\n__buffers__ = []\nn : int\nseen : bool";
        ScriptModule noted = WrittenPrograms.module(
                new PickledDict(null).put("n", 0L).put("seen", false),
                declarations,
                "x: Tensor) -> Tensor",
                "self.n = 3",
                "self.seen = True",
                "return torch.mul(x, self.n)");
        assertArrayEquals(new float[] {6}, run(WrittenPrograms.again(noted, floats(1)), floats(2)));
        ScriptModule late = WrittenPrograms.module(
                new PickledDict(null).put("n", 0L).put("seen", false),
                declarations,
                "x: Tensor) -> Tensor",
                "y = torch.mul(x, self.n)",
                "self.n = 3",
                "return y");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(late, List.of(floats(1))))
                .getMessage();
        assertTrue(told.startsWith("n: an attribute that a call sets"), told);
    }

    @Test
    void buffersThatGrowAreRefused() {
        ScriptModule cache = WrittenPrograms.module(
                two(), TWO, "x: Tensor) -> Tensor", "self.a = torch.cat([self.a, x])", "return torch.sum(self.a)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(cache, List.of(floats(1))))
                .getMessage();
        assertTrue(told.startsWith("a: an attribute that a call gives another size or type"), told);
    }

    @Test
    void attributesThatAreJoinedAreRefused() {
        ScriptModule joined = WrittenPrograms.module(
                two(),
                TWO,
                "x: Tensor) -> Tensor",
                "c = torch.add_(self.a, x)",
                "self.a = torch.mul(self.b, 1)",
                "self.b = self.a",
                "return torch.neg(c)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(joined, List.of(floats(1))))
                .getMessage();
        assertTrue(told.startsWith("b: an attribute that a call sets or joins with another"), told);
        assertArrayEquals(new float[] {1}, ((Tensor) joined.attribute("a")).toFloatArray());
    }

    @Test
    void sizesOfParametersStay() {
        ScriptModule grown = WrittenPrograms.module(
                new PickledDict(null).put("w", floats(1, 2)),
                "__parameters__ = [\"w\", ]\n__buffers__ = []\nw : Tensor",
                "x: Tensor) -> Tensor",
                "c = torch.unsqueeze_(self.w, 0)",
                "return torch.add(x, c)");
        String told = assertThrows(UnwritableProgramException.class, () -> ProgramFile.of(grown, List.of(floats(1, 2))))
                .getMessage();
        assertTrue(told.startsWith("w: an attribute that a call sets"), told);
        assertArrayEquals(new int[] {2}, ((Tensor) grown.attribute("w")).sizes());
    }

    @Test
    void tensorsInTuplesAreWrittenAsTheyWere() {
        ScriptModule module = WrittenPrograms.module(
                new PickledDict(null).put("h", ScriptTuple.of(floats(1), floats(2))),
                "__parameters__ = []\n__buffers__ = []\nh : Tuple[Tensor, Tensor]",
                "x: Tensor) -> Tensor",
                "a, b = self.h",
                "return torch.add(torch.add_(a, x), b)");
        ScriptModule again = WrittenPrograms.again(module, floats(1));
        assertArrayEquals(new float[] {13}, run(again, floats(10)));
        assertArrayEquals(new float[] {23}, run(again, floats(10)));
    }

    @Test
    void sharedMemoryIsShared() {
        Tensor whole = floats(1, 2, 3, 4);
        ScriptModule again = WrittenPrograms.again(
                WrittenPrograms.module(
                        new PickledDict(null)
                                .put("a", whole)
                                .put("view", whole.asStrided(new int[] {2}, new int[] {2}, 1)),
                        "__parameters__ = []\n__buffers__ = [\"a\", ]\na : Tensor\nview : Tensor",
                        "x: Tensor) -> Tensor",
                        "v = torch.mul_(self.view, 10)",
                        "return torch.add(self.a, x)"),
                floats(0));
        assertArrayEquals(new float[] {1, 20, 3, 40}, run(again, floats(0)));
    }
}
