package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Blocks with a scale and a zero point each; the integers expected are those of {@code torchao}'s functions for the
 * same numbers.
 */
class AffineQuantizationTest {
    private static final Tensor X =
            floats(sizes(2, 6), 0.1, -1.3, 2.7, 0.05, 0.9, -0.45, 3.3, 0.2, -0.7, 1.1, -2.6, 0.35);
    private static final long INT8 = DType.INT8.code();
    private static final String SPACE = "torchao::";

    private static Tensor[] chosen(String mapping, ScriptList block, Long scale, boolean keeps) {
        return tensors(
                SPACE + "choose_qparams_affine",
                X,
                mapping,
                block,
                INT8,
                -8L,
                7L,
                null,
                scale,
                (long) DType.INT64.code(),
                keeps);
    }

    private static Tensor levels(ScriptList block, Tensor... chosen) {
        Tensor made = tensor(SPACE + "quantize_affine", X, block, chosen[0], chosen[1], INT8, -8L, 7L);
        assertEquals(DType.INT8, made.dtype());
        return made;
    }

    @Test
    void perTensor() {
        ScriptList block = ScriptList.ofInts(2, 6);
        Tensor[] chosen = chosen("ASYMMETRIC", block, null, false);
        expect(chosen[0], sizes(), 0.3933333158493042);
        expect(chosen[1], sizes(), -1);
        assertEquals(DType.INT64, chosen[1].dtype());
        expect(levels(block, chosen), sizes(2, 6), -1, -4, 6, -1, 1, -2, 7, 0, -3, 2, -8, 0);
        Tensor[] even = chosen("SYMMETRIC", block, (long) DType.FLOAT64.code(), false);
        assertEquals(DType.FLOAT64, even[0].dtype());
        expect(levels(block, even), sizes(2, 6), 0, -3, 6, 0, 2, -1, 7, 0, -2, 3, -6, 1);
    }

    @Test
    void perChannel() {
        ScriptList rows = ScriptList.ofInts(1, 6);
        Tensor[] chosen = chosen("ASYMMETRIC", rows, null, false);
        expect(chosen[1], sizes(2), -3, -1);
        expect(levels(rows, chosen), sizes(2, 6), -3, -8, 7, -3, 0, -5, 7, 0, -3, 2, -8, 0);
        ScriptList columns = ScriptList.ofInts(2, 1);
        Tensor[] unclipped = chosen("SYMMETRIC_NO_CLIPPING_ERR", columns, null, false);
        expect(levels(columns, unclipped), sizes(2, 6), 0, -8, 7, 0, 3, -8, 7, 1, -2, 7, -8, 6);
    }

    @Test
    void perGroupOfARow() {
        ScriptList block = ScriptList.ofInts(1, 2);
        for (boolean keeps : new boolean[] {false, true}) {
            Tensor[] chosen = chosen("ASYMMETRIC", block, null, keeps);
            expect(chosen[1], sizes(2, 3), 6, -8, -3, -8, -2, 5);
            Tensor levels = levels(block, chosen);
            expect(levels, sizes(2, 6), 7, -8, 7, -8, 7, -8, 7, -7, -8, 7, -8, 7);
            expect(
                    tensor(SPACE + "dequantize_affine", levels, block, chosen[0], chosen[1], INT8, -8L, 7L),
                    sizes(2, 6),
                    0.09333333373069763,
                    -1.306666612625122,
                    2.700000047683716,
                    0,
                    0.8999999761581421,
                    -0.44999998807907104,
                    3.299999952316284,
                    0.2199999988079071,
                    -0.7199999690055847,
                    1.0799999237060547,
                    -2.556666612625122,
                    0.3933333158493042);
        }
    }

    @Test
    void endsOfATypeAndNoZeroPoint() {
        ScriptList block = ScriptList.ofInts(2, 6);
        Tensor scale = floats(sizes(), 0.02);
        Tensor zero = Tensor.of(new long[] {3});
        long uint8 = DType.UINT8.code();
        Tensor levels = tensor(SPACE + "quantize_affine", X, block, scale, zero, uint8);
        expect(levels, sizes(2, 6), 8, 0, 138, 5, 48, 0, 168, 13, 0, 58, 0, 21);
        Tensor real = tensor(SPACE + "dequantize_affine", levels, block, scale, null, uint8);
        expect(
                real,
                sizes(2, 6),
                0.1599999964237213,
                0,
                2.759999990463257,
                0.09999999403953552,
                0.9599999785423279,
                0,
                3.359999895095825,
                0.25999999046325684,
                0,
                1.159999966621399,
                0,
                0.41999998688697815);
    }

    /** As {@code torchao} had it until some of its ways had operators of their own. */
    @Test
    void zeroPointsThatAreRealNumbersOrNone() {
        Tensor x = floats(sizes(4), -0.9, 0.1, 0.5, 3);
        ScriptList block = ScriptList.ofInts(4);
        Tensor scale = floats(sizes(1), 0.2);
        Tensor zero = floats(sizes(1), 0.5);
        long uint8 = DType.UINT8.code();
        for (String space : new String[] {SPACE, "quant::"}) {
            // The middle of 0 to 15 stands for 0.5.
            Tensor levels = tensor(space + "quantize_affine", x, block, scale, zero, uint8, 0L, 15L, "FLOAT");
            expect(levels, sizes(4), 1, 6, 8, 15);
            expect(
                    tensor(space + "dequantize_affine", levels, block, scale, zero, uint8, 0L, 15L, "FLOAT"),
                    sizes(4),
                    -0.9,
                    0.1,
                    0.5,
                    1.9);
            expect(
                    tensor(space + "dequantize_affine", levels, block, scale, null, uint8, 0L, 15L, "FLOAT"),
                    sizes(4),
                    -1.4,
                    -0.4,
                    0,
                    1.4);
            Tensor[] chosen = tensors(
                    space + "choose_qparams_affine",
                    floats(sizes(4), 1, 1.5, 2, 4),
                    "ASYMMETRIC",
                    block,
                    uint8,
                    0L,
                    15L,
                    null,
                    null,
                    (long) DType.FLOAT32.code(),
                    false,
                    false,
                    "FLOAT");
            expect(chosen[0], sizes(), 0.2);
            expect(chosen[1], sizes(), 2.6);
            Tensor none = tensor(space + "quantize_affine", x, block, scale, zero, INT8, -8L, 7L, "NONE");
            expect(none, sizes(4), -4, 0, 2, 7);
            expect(
                    tensor(space + "dequantize_affine", none, block, scale, zero, INT8, -8L, 7L, "NONE"),
                    sizes(4),
                    -0.8,
                    0,
                    0.4,
                    1.4);
        }
    }
}
