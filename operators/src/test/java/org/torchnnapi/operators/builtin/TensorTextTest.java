package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Expected texts are what genuine PyTorch 1.13's scripts print. */
class TensorTextTest {
    private static void prints(String expected, float[] values, int... sizes) {
        assertEquals(expected, Text.of(Tensor.of(values, sizes)));
    }

    @Test
    void columnsHaveOneWidth() {
        prints("1.5\n[ CPUFloatType{} ]", new float[] {1.5f});
        prints(" 1\n 2\n[ CPUFloatType{2} ]", new float[] {1, 2}, 2);
        prints(" 1.0000\n 2.5000\n-3.0000\n[ CPUFloatType{3} ]", new float[] {1, 2.5f, -3}, 3);
        prints("   0.1235\n 100.0000\n[ CPUFloatType{2} ]", new float[] {0.1234567f, 100}, 2);
        prints("nan\ninf\n 1\n[ CPUFloatType{3} ]", new float[] {Float.NaN, Float.POSITIVE_INFINITY, 1}, 3);
        prints("[ CPUFloatType{0} ]", new float[0], 0);
    }

    @Test
    void laterNegativeNumbersWidenNoColumn() {
        assertEquals(" 1 -200\n 3  4\n[ CPULongType{2,2} ]", Text.of(Tensor.of(new long[] {1, -200, 3, 4}, 2, 2)));
        prints(
                "-685.3239  880.0632\n-1509.3103  954.6613\n[ CPUFloatType{2,2} ]",
                new float[] {-685.3239f, 880.0632f, -1509.3103f, 954.6613f},
                2,
                2);
        assertEquals("-200\n   1\n[ CPULongType{2} ]", Text.of(Tensor.of(new long[] {-200, 1}, 2)));
    }

    @Test
    void wideRangesHavePowersOfTen() {
        prints(" 1.0000e-08\n 1.0000e+00\n[ CPUFloatType{2} ]", new float[] {1e-8f, 1}, 2);
        prints(" 1.0000e+10\n 1.0000e+00\n[ CPUFloatType{2} ]", new float[] {1e10f, 1}, 2);
        prints(
                "1e+05 *\n 1.1250  2.5000\n  3.7500  5.0005\n[ CPUFloatType{2,2} ]",
                new float[] {112500, 250000, 375000, 500050.5f},
                2,
                2);
    }

    @Test
    void matricesFollowOneAnother() {
        Tensor t = Tensor.of(new long[] {0, 1, 2, 3, 4, 10, 11, 12}, 2, 2, 2);
        assertEquals(
                "(1,.,.) = \n  0  1\n  2  3\n\n(2,.,.) = \n   4  10\n  11  12\n[ CPULongType{2,2,2} ]", Text.of(t));
        float[] wide = new float[50];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = i;
        }
        String text = Text.of(Tensor.of(wide, 1, 50));
        assertEquals("Columns 1 to 20  0   1   2", text.substring(0, "Columns 1 to 20  0   1   2".length()));
        assertEquals(true, text.contains(" 19\n\nColumns 21 to 40 20  21"), text);
    }

    @Test
    void quantizedTensorsSayHow() {
        Tensor q = Tensor.of(DType.QUINT8, new byte[] {5, 7}, 2).withQuantization(new Quantization.PerTensor(0.5, 3));
        assertEquals(
                " 1\n 2\n[ QuantizedCPUQUInt8Type{2}, qscheme: per_tensor_affine, scale: 0.5, zero_point: 3 ]",
                Text.of(q));
    }

    @Test
    void onlyCharactersAreCharacters() {
        assertEquals("A", Text.percentFormat("%c", List.of(65L)));
        assertEquals("f", Text.percentFormat("%c", List.of("f")));
        assertThrows(IllegalArgumentException.class, () -> Text.percentFormat("%c", List.of("foo")));
    }

    @Test
    void listsAreNoKeys() {
        assertThrows(IllegalArgumentException.class, () -> Hashes.of(new ScriptList(Type.Basic.INT)));
    }
}
