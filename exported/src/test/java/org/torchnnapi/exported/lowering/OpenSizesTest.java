package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.Pt2File;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleSource;

/** Programs of sizes that are left open; genuine PyTorch 2.14 runs what has this form. */
class OpenSizesTest {
    /** Elements 0, 1, 2, and so on. */
    private static Tensor counted(int... sizes) {
        int count = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
        float[] elements = new float[count];
        IntStream.range(0, count).forEach(i -> elements[i] = i);
        return Tensor.of(elements, sizes);
    }

    private static byte[] written(ScriptModule module, List<int[]> open, Object... example) {
        return WrittenPrograms.bytes(ProgramFile.of(module, Arrays.asList(example), OpenSizes.of(open)));
    }

    private static Tensor run(byte[] program, Object... arguments) {
        return (Tensor) Pt2File.load(program).call("forward", arguments);
    }

    private static String json(byte[] program) {
        return StandardCharsets.UTF_8
                .decode(ModuleSource.of(ByteBuffer.wrap(program)).zip().read("archive/models/model.json"))
                .toString();
    }

    private static String refusal(byte[] program, Object... arguments) {
        return assertThrows(RuntimeException.class, () -> run(program, arguments))
                .getMessage();
    }

    @Test
    void numbersAreFormulasOfSizes() {
        byte[] program = written(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "n = torch.size(x, 0)",
                        "y = torch.reshape(x, [torch.mul(n, 2), torch.floordiv(torch.size(x, 1), 2)])",
                        "return torch.mul(y, torch.div(1., n))"),
                List.of(new int[] {-1, 4}),
                counted(3, 4));
        Tensor result = run(program, counted(5, 4));
        assertArrayEquals(new int[] {10, 2}, result.sizes());
        assertEquals(7 / 5.0, result.getDouble(7), 1e-6);
        assertTrue(json(program).contains("\"expr_str\":\"Symbol('s0', positive=True, integer=True)\""), json(program));
        assertTrue(json(program).contains("\"range_constraints\":{\"s0\":{\"min_val\":0,\"max_val\":null}}"));
        assertTrue(refusal(program, counted(5, 6)).contains("size 6 in dimension 1 (expected: 4"));
    }

    @Test
    void sizesThatProgramsReadAreSizes() {
        byte[] program = written(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "n = torch.mul(torch.sym_size(x, 0), 2)",
                        "return torch.reshape(torch.cat([x, x]), [n])"),
                List.of(new int[] {-1}),
                counted(3));
        assertArrayEquals(new int[] {10}, run(program, counted(5)).sizes());
    }

    @Test
    void numbersAreWhatArithmeticMakesOfOthers() {
        byte[] program = written(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "a = torch.sub(torch.floordiv(torch.sub(torch.size(x, 0), 3), 2), 1)",
                        "b = torch.sub(torch.floordiv(torch.sub(torch.size(x, 1), 3), 2), 1)",
                        "return torch.full([1], torch.mul(torch.mul(12, a), b), dtype=6)"),
                List.of(new int[] {-1, -1}),
                counted(20, 31));
        assertEquals(12 * 23 * 13, run(program, counted(51, 32)).getDouble(0));
    }

    @Test
    void waysThatSizesDecideAreRanges() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "if torch.lt(torch.size(x, 0), 6):",
                "  y = torch.neg(x)",
                "else:",
                "  y = x",
                "return torch.relu(y)");
        byte[] program = written(module, List.of(new int[] {-1}), counted(8));
        assertArrayEquals(
                new float[] {0, 1, 2, 3, 4, 5}, run(program, counted(6)).toFloatArray());
        assertTrue(json(program).contains("\"s0\":{\"min_val\":6,\"max_val\":null}"));
        assertTrue(refusal(program, counted(5)).contains("(expected: at least 6)"));
    }

    @Test
    void restsAndRelationsOfSizesAreConditions() {
        byte[] program = written(
                WrittenPrograms.function(
                        "x: Tensor, y: Tensor) -> Tensor",
                        "if torch.ne(torch.remainder(torch.size(x, 0), 4), 0):",
                        "  ops.prim.RaiseException(\"odd\")",
                        "if torch.gt(torch.size(y, 0), torch.size(x, 0)):",
                        "  ops.prim.RaiseException(\"long\")",
                        "return torch.add(torch.sum(x), torch.sum(y))"),
                List.of(new int[] {-1}, new int[] {-1}),
                counted(32),
                counted(5));
        assertEquals(28 + 3, run(program, counted(8), counted(3)).getDouble(0));
        assertTrue(refusal(program, counted(9), counted(3)).contains("(L['x'].size()[0] % 4) == 0"));
        assertTrue(refusal(program, counted(8), counted(9)).contains("L['y'].size()[0] <= L['x'].size()[0]"));
    }

    @Test
    void sizesThatHaveToBeEqualAreOneSymbol() {
        byte[] program = written(
                WrittenPrograms.function("x: Tensor, y: Tensor) -> Tensor", "return torch.mul(x, y)"),
                List.of(new int[] {-1}, new int[] {-1}),
                counted(3),
                counted(3));
        assertArrayEquals(
                new float[] {0, 1, 4, 9, 16},
                run(program, counted(5), counted(5)).toFloatArray());
        assertTrue(refusal(program, counted(5), counted(1)).contains("which follows from the other sizes"));
    }

    @Test
    void tensorsOfSizesAreComputed() {
        byte[] program = written(
                WrittenPrograms.function(
                        "x: Tensor) -> Tensor",
                        "n = torch.tensor(torch.size(x, 0))",
                        "return torch.add(torch.sum(x), n)"),
                List.of(new int[] {-1}),
                counted(3));
        assertEquals(10 + 5, run(program, counted(5)).getDouble(0));
    }

    @Test
    void loopsOverSizesAreRefused() {
        ScriptModule module = WrittenPrograms.function(
                "x: Tensor) -> Tensor",
                "y = x",
                "for i in range(torch.size(x, 0)):",
                "  y = torch.add(y, i)",
                "return y");
        String told = assertThrows(
                        UnwritableProgramException.class, () -> written(module, List.of(new int[] {-1}), counted(3)))
                .getMessage();
        assertTrue(told.startsWith("size 3 in dimension 0 of tensor 0 left open"), told);
        String rank = assertThrows(
                        IllegalArgumentException.class, () -> written(module, List.of(new int[] {4, -1}), counted(3)))
                .getMessage();
        assertTrue(rank.contains("a tensor of at least 2 dimensions"), rank);
    }
}
