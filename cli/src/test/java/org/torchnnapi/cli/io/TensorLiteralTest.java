package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

class TensorLiteralTest {
    @Test
    void numbersAreFloatsUnlessAllAreWhole() {
        Tensor real = TensorLiteral.parse("[[0.5, 1], [ -2e1, inf ]]");
        assertEquals(DType.FLOAT32, real.dtype());
        assertArrayEquals(new int[] {2, 2}, real.sizes());
        assertEquals(0.5, real.getDouble(0));
        assertEquals(-20, real.getDouble(2));
        assertEquals(Double.POSITIVE_INFINITY, real.getDouble(3));
        Tensor whole = TensorLiteral.parse("[1, -9007199254740993]");
        assertEquals(DType.INT64, whole.dtype());
        assertEquals(-9007199254740993L, whole.getLong(1));
        assertArrayEquals(new int[0], TensorLiteral.parse("3.5").sizes());
        assertArrayEquals(new int[] {0}, TensorLiteral.parse("[]").sizes());
    }

    @Test
    void theyStandAmongOtherInputs() throws IOException {
        List<Object> read = new GivenInputs(List.of("[tensor([1.5]), tensor([2.5])]", "tensor([[1, 2]])", "3")).read();
        ScriptList list = assertInstanceOf(ScriptList.class, read.get(0));
        assertEquals(2.5, ((Tensor) list.items().get(1)).getDouble(0));
        assertArrayEquals(new int[] {1, 2}, ((Tensor) read.get(1)).sizes());
        assertEquals(3L, read.get(2));
        assertFalse(InputText.isPlain("tensor([[0.5]])"), "a description of shapes alone");
        assertEquals(List.of(), new GivenInputs(List.of("tensor([1])")).files());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tensor([[1, 2], [3]])",
                "tensor([1, [2]])",
                "tensor([1, 2)",
                "tensor([1, 2]",
                "tensor([1 2])",
                "tensor([one])",
                "tensor([1]])",
                "tensor([99999999999999999999])",
                "tensor([[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]])"
            })
    void othersAreRefusedAndNamed(String text) {
        CommandFailure refused = assertThrows(CommandFailure.class, () -> new GivenInputs(List.of(text)).read());
        assertTrue(refused.getMessage().startsWith("input: tensor("), refused.getMessage());
        assertTrue(refused.getMessage().contains("(expected: "), refused.getMessage());
    }
}
