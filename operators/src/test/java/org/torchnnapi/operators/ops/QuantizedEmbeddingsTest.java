package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class QuantizedEmbeddingsTest {
    private static final Tensor TABLE = floats(sizes(3, 4), -1.5, 0.25, 3, 0.7, 10, 20, 30, 45.5, 2, 2, 2, 2);

    private static Tensor bag(String name, Tensor weight, Tensor indices, Tensor offsets, Object... more) {
        Object[] arguments = {weight, indices, offsets, false, 0L, false, null, null, false};
        System.arraycopy(more, 0, arguments, 5, more.length);
        return tensor("quantized::embedding_bag_" + name + "_rowwise_offsets", arguments);
    }

    @Test
    void rowsOfEightBits() {
        Tensor packed = tensor("quantized::embedding_bag_byte_prepack", TABLE);
        expect(
                packed,
                DType.UINT8,
                sizes(3, 12),
                0,
                99,
                255,
                125,
                145,
                144,
                144,
                60,
                0,
                0,
                192,
                191,
                0,
                72,
                144,
                255,
                143,
                142,
                14,
                62,
                0,
                0,
                32,
                65,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                64);
        expect(
                tensor("quantized::embedding_bag_byte_unpack", packed),
                DType.FLOAT32,
                sizes(3, 4),
                -1.5,
                0.24705886840820312,
                3,
                0.7058825492858887,
                10,
                20.023529052734375,
                30.047060012817383,
                45.5,
                2,
                2,
                2,
                2);
        expect(
                bag("byte", packed, longs(0, 1, 2, 1), longs(0, 3), false, vector(1, 0.5, 2, -1)),
                sizes(2, 4),
                7.5,
                14.25882339477539,
                22.023529052734375,
                27.455883026123047,
                -10,
                -20.023529052734375,
                -30.047060012817383,
                -45.5);
        expect(
                bag("byte", packed, longs(0, 1, 2, 1), longs(0, 3, 4), false, null, null, true),
                sizes(2, 4),
                10.5,
                22.270587921142578,
                35.04705810546875,
                48.20588302612305,
                10,
                20.023529052734375,
                30.047060012817383,
                45.5);
        Tensor blocks = tensor(
                "quantized::embedding_bag_byte_prepack",
                floats(sizes(3, 2, 2), -1.5, 0.25, 3, 0.7, 10, 20, 30, 45.5, 2, 2, 2, 2));
        expect(
                tensor("quantized::embedding_bag_byte_unpack", blocks),
                sizes(3, 2, 2),
                -1.5,
                0.25,
                3,
                0.7,
                10,
                20,
                30,
                45.5,
                2,
                2,
                2,
                2);
    }

    @Test
    void rowsOfFourBits() {
        Tensor packed = tensor("quantized::embedding_bag_4bit_prepack", TABLE);
        expect(packed, DType.UINT8, sizes(3, 6), 96, 127, 205, 52, 0, 190, 64, 248, 188, 64, 0, 73, 0, 0, 0, 60, 0, 64);
        expect(
                tensor("quantized::embedding_bag_4bit_unpack", packed),
                sizes(3, 4),
                -1.5,
                0.30029296875,
                3.000732421875,
                0.600341796875,
                10,
                19.46875,
                28.9375,
                45.5078125,
                2,
                2,
                2,
                2);
        expect(
                bag("4bit", packed, longs(0, 1, 2, 1), longs(0, 3), false, vector(1, 0.5, 2, -1)),
                sizes(2, 4),
                7.5,
                14.03466796875,
                21.469482421875,
                27.354248046875,
                -10,
                -19.46875,
                -28.9375,
                -45.5078125);
        expect(
                tensor("quantized::embedding_bag_4bit_prepack", TABLE, true, 200L, 0.16),
                sizes(3, 6),
                96,
                127,
                199,
                52,
                233,
                189,
                64,
                248,
                170,
                64,
                68,
                73,
                0,
                0,
                0,
                60,
                0,
                64);
    }

    @Test
    void rowsOfTwoBits() {
        Tensor packed = tensor("quantized::embedding_bag_2bit_prepack", TABLE);
        expect(packed, DType.UINT8, sizes(3, 5), 116, 0, 62, 0, 190, 228, 235, 73, 0, 73, 0, 0, 60, 0, 64);
        expect(
                bag("2bit", packed, Tensor.of(new long[] {0, 1, 1, 1}, 2, 2), null),
                sizes(2, 4),
                8.5,
                21.8359375,
                36.671875,
                45.5078125,
                20,
                43.671875,
                67.34375,
                91.015625);
        Tensor mapping = Tensor.of(DType.INT32, new int[] {2, -1, -1, 0, 1}, 5);
        expect(
                bag("2bit", packed, longs(0, 1, 4, 3), longs(0, 2), true, null, mapping),
                sizes(2, 4),
                2,
                2,
                2,
                2,
                8.5,
                21.8359375,
                36.671875,
                45.5078125);
        Tensor none = Tensor.of(DType.INT32, new int[] {0}, 1);
        expect(
                bag("2bit", packed, longs(1), longs(0), true, null, none),
                sizes(1, 4),
                10,
                21.8359375,
                33.671875,
                45.5078125);
    }

    @Test
    void tablesThatAreObjects() {
        Tensor rows = floats(sizes(2, 4), 0.5, -0.2, 0.33, 0.1, 2, 1, -0.4, 0.7);
        Tensor points = vector(7.3, 3);
        Tensor four = tensor("quantize_per_channel", rows, vector(0.1, 0.2), points, 0L, (long) DType.QUINT4X2.code());
        assertEquals(DType.QUINT4X2, four.dtype());
        expect(tensor("dequantize.self", four), sizes(2, 4), 0.47, -0.23, 0.37, 0.07, 2, 1, -0.4, 0.6);
        Object packed = call("quantized::embedding_bag_prepack", four);
        expect(
                tensor("quantized::embedding_4bit", packed, Tensor.of(new long[] {1, 0, 0, 0}, 2, 2)),
                sizes(2, 2, 4),
                1.999267578125,
                0.99951171875,
                -0.400146484375,
                0.599609375,
                0.4697265625,
                -0.2301025390625,
                0.3697509765625,
                0.06982421875,
                0.4697265625,
                -0.2301025390625,
                0.3697509765625,
                0.06982421875,
                0.4697265625,
                -0.2301025390625,
                0.3697509765625,
                0.06982421875);
        expect(
                tensor("quantized::embedding_bag_4bit", packed, longs(1, 0, 0), longs(0, 2)),
                sizes(2, 4),
                2.468994140625,
                0.7694091796875,
                -0.0303955078125,
                0.66943359375,
                0.4697265625,
                -0.2301025390625,
                0.3697509765625,
                0.06982421875);
        assertThrows(IllegalArgumentException.class, () -> call("quantized::embedding_byte", packed, longs(0)));
        Tensor eight =
                tensor("quantize_per_channel", rows, vector(0.00625, 0.0125), points, 0L, (long) DType.QUINT8.code());
        Object bytes = call("quantized::embedding_bag_prepack", eight);
        expect(
                tensor("quantized::embedding_byte", bytes, longs(1, 0)),
                sizes(2, 4),
                2,
                1,
                -0.03750000149011612,
                0.699999988079071,
                0.49812501668930054,
                -0.045625001192092896,
                0.3293749988079071,
                0.09812500327825546);
        expect(
                tensor(
                        "quantized::embedding_bag_byte",
                        bytes,
                        longs(1, 0, 0),
                        longs(0, 2),
                        false,
                        0L,
                        false,
                        vector(0.5, 3, 1)),
                sizes(2, 4),
                2.494374990463257,
                0.3631249964237213,
                0.9693750143051147,
                0.6443750262260437,
                0.49812501668930054,
                -0.045625001192092896,
                0.3293749988079071,
                0.09812500327825546);
    }

    @Test
    void rangesThatAreTried() {
        Tensor row = vector(-1.5, 0.25, 3, 0.7, -8, 0.3, 0.31, 0.29);
        Tensor[] four = tensors("choose_qparams_optimized", row, 8L, 200L, 0.16, 4L);
        expect(four[0], sizes(1), 3);
        expect(four[1], sizes(1), -7.890000343);
        Tensor[] two = tensors("choose_qparams_optimized", row, 8L, 50L, 0.5, 2L);
        expect(two[0], sizes(1), 3);
        expect(two[1], sizes(1), -7.120000839);
    }

    @Test
    void whatIsNoTable() {
        Tensor packed = tensor("quantized::embedding_bag_4bit_prepack", TABLE);
        assertThrows(
                IllegalArgumentException.class,
                () -> call("quantized::embedding_bag_4bit_prepack", floats(sizes(1, 3), 1, 2, 3)));
        assertThrows(IllegalArgumentException.class, () -> call("quantized::embedding_bag_4bit_unpack", TABLE));
        assertThrows(IllegalArgumentException.class, () -> bag("4bit", packed, longs(3), longs(0)));
        assertThrows(IllegalArgumentException.class, () -> bag("4bit", packed, longs(-1), longs(0)));
        assertThrows(IllegalArgumentException.class, () -> bag("4bit", packed, longs(1), null));
        assertThrows(
                IllegalArgumentException.class, () -> bag("4bit", packed, longs(1), longs(0), false, vector(1, 2)));
        Exception e = assertThrows(IllegalArgumentException.class, () -> bag("4bit", packed, longs(1), longs(0), true));
        assertTrue(e.getMessage().startsWith("compressed_indices_mapping: None"), e.getMessage());
        assertThrows(
                IllegalArgumentException.class, () -> bag("4bit", packed, longs(5), longs(0), true, null, longs(1, 2)));
        assertThrows(IllegalArgumentException.class, () -> call("quantized::embedding_bag_prepack", TABLE));
    }
}
