package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.pickle.PickledDict;

/** Programs with sizes and numbers that elements decide; genuine PyTorch 2.14 runs what has this form. */
class UnbackedNumbersTest {
    private static final String MASK = "m: List[Optional[Tensor]] = [torch.gt(x, 0)]";

    private static Tensor floats(float... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static Tensor longs(long... elements) {
        return Tensor.of(elements, elements.length);
    }

    private static double[] run(ScriptModule module, Object... arguments) {
        Tensor result = (Tensor) module.call("forward", arguments);
        double[] elements = new double[Math.toIntExact(result.numel())];
        Arrays.setAll(elements, result::getDouble);
        return elements;
    }

    private static String refusal(ScriptModule module, Object... arguments) {
        return assertThrows(RuntimeException.class, () -> module.call("forward", arguments))
                .getMessage();
    }

    private static String refused(ScriptModule module, Object... example) {
        return assertThrows(UnwritableProgramException.class, () -> WrittenPrograms.again(module, example))
                .getMessage();
    }

    @Test
    void rowsOfMasksAreCountedInEachCall() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                MASK,
                "y = torch.index(x, m)",
                "return torch.add(y, torch.arange(torch.size(y, 0)))");
        ScriptModule again = WrittenPrograms.again(module, floats(5, -1, 7, 0));
        assertArrayEquals(new double[] {1, 3, 5, 7}, run(again, floats(1, 2, 3, 4)));
        assertArrayEquals(new double[0], run(again, floats(-1, -2, -3, -4)));
    }

    @Test
    void sizesAreUnbackedSymbols() {
        byte[] program = WrittenPrograms.bytes(ProgramFile.of(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "y = torch.nonzero(x)",
                        "return torch.reshape(y, [torch.mul(torch.size(y, 0), 2)])"),
                List.of(Tensor.of(new float[] {1, 0, 2, 3}, 2, 2))));
        String json = StandardCharsets.UTF_8
                .decode(ModuleSource.of(ByteBuffer.wrap(program)).zip().read("archive/models/model.json"))
                .toString();
        assertTrue(json.contains("\"expr_str\":\"Symbol('u0', integer=True)\""), json);
        assertTrue(json.contains("\"range_constraints\":{\"u0\":{\"min_val\":0,\"max_val\":null}}"), json);
        assertArrayEquals(
                new double[] {0, 0, 1, 1}, run(Pt2File.load(program), Tensor.of(new float[] {1, 0, 0, 3}, 2, 2)));
    }

    @Test
    void elementsThatAreReadAreNumbers() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "n = int(torch.max(x))",
                "return torch.sum(torch.lt(torch.unsqueeze(torch.arange(n), 0), torch.unsqueeze(x, 1)), 0)");
        ScriptModule again = WrittenPrograms.again(module, longs(2, 4));
        assertArrayEquals(new double[] {2, 1, 1, 1, 1, 1}, run(again, longs(1, 6)));
        // What is cut off from a real number.
        assertArrayEquals(
                new double[] {2, 1}, run(WrittenPrograms.again(module, floats(3.5f, 4.2f)), floats(0.5f, 2.9f)));
    }

    @Test
    void waysThatSuchNumbersDecideAreChecked() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                MASK,
                "y = torch.index(x, m)",
                "if torch.gt(torch.size(y, 0), 2):",
                "  z = torch.mul(y, 2)",
                "else:",
                "  z = torch.neg(y)",
                "return z");
        ScriptModule again = WrittenPrograms.again(module, floats(1, 2, 3, 4));
        assertArrayEquals(new double[] {2, 4, 6}, run(again, floats(1, 2, 3, -4)));
        String told = refusal(again, floats(1, 2, -3, -4));
        assertTrue(told.contains("the program holds where it is > 2"), told);
    }

    @Test
    void sizesThatGoTogetherAreChecked() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor, w: Tensor) -> Tensor",
                "m: List[Optional[Tensor]] = [torch.gt(x, 0)]",
                "n: List[Optional[Tensor]] = [torch.gt(w, 0)]",
                "y = torch.index(x, m)",
                "z = torch.add(y, torch.index(w, n))",
                "return torch.reshape(z, [1, torch.size(y, 0)])");
        ScriptModule again = WrittenPrograms.again(module, floats(1, 2, -3, 4), floats(-1, 2, 3, 4));
        assertArrayEquals(new double[] {3, 5}, run(again, floats(1, 2, -3, -4), floats(-1, -2, 2, 3)));
        String told = refusal(again, floats(1, 2, 3, -4), floats(-1, -2, 2, 3));
        assertTrue(told.contains("the program holds where it is == another"), told);
    }

    @Test
    void rowsInTheMiddleAndCountsOfAllAreSizes() {
        ScriptModule middle = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "m: List[Optional[Tensor]] = [None, torch.gt(torch.select(x, 0, 0), 0)]",
                "y = torch.index(x, m)",
                "return torch.reshape(torch.transpose(y, 0, 1), [torch.mul(2, torch.size(y, 1))])");
        assertArrayEquals(
                new double[] {1, 4, 2, 5, 3, 6},
                run(
                        WrittenPrograms.again(middle, Tensor.of(new float[] {1, -1, 1, 3, 2, 1}, 2, 3)),
                        Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3)));
        ScriptModule unique = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "v, i, c = torch._unique2(x, True, True, True)",
                "n = torch.size(v, 0)",
                "return torch.cat([torch.reshape(c, [n]), torch.reshape(v, [n]), i])");
        // As many of each as there are elements, which says nothing of where they are.
        ScriptModule again = WrittenPrograms.again(unique, longs(3, 1, 2));
        assertArrayEquals(new double[] {2, 1, 1, 2, 0, 1, 0}, run(again, longs(1, 2, 1)));
    }

    @Test
    void viewsEndWithinTheirTensorsOrWithThem() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                MASK,
                "y = torch.slice(torch.index(x, m), 0, 0, 2)",
                "return torch.add(y, torch.arange(torch.size(y, 0)))");
        ScriptModule again = WrittenPrograms.again(module, floats(5, 1, 7, 0));
        assertArrayEquals(new double[] {1, 3}, run(again, floats(1, 2, 3, 4)));
        assertArrayEquals(new double[] {4}, run(again, floats(-1, 4, -3, -4)));
    }

    @Test
    void earlyReturnsOfNothingNeedNoCheck() {
        String[] body = {
            MASK,
            "y = torch.index(x, m)",
            "if torch.eq(torch.size(y, 0), 0):",
            "  z = torch.zeros([0], dtype=6)",
            "else:",
            "  z = torch.reshape(torch.neg(y), [torch.size(y, 0)])",
            "return z"
        };
        ScriptModule again =
                WrittenPrograms.again(WrittenPrograms.function("x: Tensor) -> Tensor", body), floats(5, -1, 7, 0));
        assertArrayEquals(new double[] {-1}, run(again, floats(1, -2, -3, -4)));
        assertArrayEquals(new double[0], run(again, floats(-1, -2, -3, -4)));
        // Something else than what the other way gives.
        body[3] = "  z = torch.mul(x, 2)";
        ScriptModule other =
                WrittenPrograms.again(WrittenPrograms.function("x: Tensor) -> Tensor", body), floats(5, -1, 7, 0));
        String told = refusal(other, floats(-1, -2, -3, -4));
        assertTrue(told.contains("code/__torch__.py:7: the program holds where it is != 0"), told);
    }

    @Test
    void attributesThatAreSetToSuchNumbersAreRefused() {
        ScriptModule module = WrittenPrograms.module(
                new PickledDict(null).put("n", 2L),
                "__parameters__ = []\n__buffers__ = []\nn : int",
                "x: Tensor) -> Tensor",
                MASK,
                "y = torch.mul(torch.index(x, m), self.n)",
                "self.n = torch.size(y, 0)",
                "return y");
        // As many as there were before, by chance.
        String told = refused(module, floats(1, 2, -3));
        assertTrue(told.contains("an attribute is set to something else"), told);
    }

    @Test
    void loopsOverSuchNumbersAreRefused() {
        String told = refused(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        MASK,
                        "y = torch.index(x, m)",
                        "for i in range(torch.size(y, 0)):",
                        "  y = torch.add(y, i)",
                        "return y"),
                floats(1, 2, -3));
        assertTrue(told.contains("number 2 at code/__torch__.py:6 that elements decide"), told);
        assertEquals(1, told.split("expected:").length - 1, told);
    }
}
