package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Convolutions. Expected values are genuine PyTorch's. */
class ConvolutionFamilyTest {
    /** Of no channels come none, whatever weight and bias have. */
    @Test
    void noChannelsGiveNone() {
        Tensor made = tensor(
                "conv2d",
                floats(sizes(1, 0, 6, 6)),
                floats(sizes(2, 0, 3, 3)),
                floats(sizes(2), 1, 2),
                ints(1, 1),
                ints(0, 0),
                ints(1, 1),
                1L);
        expect(made, sizes(1, 0, 4, 4));
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> tensor(
                                "conv_transpose2d.input",
                                floats(sizes(1, 0, 6, 6)),
                                floats(sizes(0, 2, 3, 3)),
                                null,
                                ints(1, 1),
                                ints(0, 0),
                                ints(0, 0),
                                1L,
                                ints(1, 1)))
                .getMessage();
        assertTrue(message.contains("expected weight to be at least 1 at dimension 0"), message);
    }

    private static final Tensor IMAGE = floats(
            sizes(1, 2, 4, 5),
            0.375,
            0.125,
            -0.625,
            -0,
            -0.375,
            -0.875,
            -1.25,
            -0.625,
            0.5,
            -0.875,
            0.5,
            1.5,
            -0.25,
            -3.125,
            -0.375,
            1.375,
            0.625,
            0.625,
            0.5,
            0.75,
            1.625,
            0.5,
            -1.5,
            1.625,
            -0.125,
            0.25,
            2.5,
            -1.125,
            1.625,
            -1,
            -0.5,
            -0.75,
            -1,
            -1.25,
            0.5,
            0.5,
            0.25,
            -0,
            -0.125,
            -1.125);
    private static final Tensor W = floats(
            sizes(4, 2, 3, 3),
            -0.125,
            0.375,
            -0.75,
            0.125,
            0.625,
            -0.25,
            1.625,
            -1.625,
            -0,
            -0.25,
            0.25,
            -0.25,
            0.875,
            0.25,
            0.625,
            0.375,
            0.25,
            0.875,
            -0.5,
            -1.625,
            1,
            0.5,
            -0.125,
            0,
            0.625,
            2.25,
            1.875,
            -1.25,
            1,
            0.5,
            2.375,
            -0.125,
            -0.5,
            -0.25,
            -0.375,
            0.375,
            0,
            -0.125,
            0.375,
            -0.875,
            -0.25,
            0.125,
            0.125,
            0.625,
            -1,
            0.125,
            0.625,
            0.875,
            -0.5,
            2.25,
            -0.375,
            -0.125,
            0.625,
            -2.375,
            1.25,
            -0.25,
            0.75,
            1.125,
            1.75,
            -1.5,
            1.125,
            2,
            -0.375,
            1.75,
            0.375,
            0.5,
            0.5,
            -0.25,
            -0.625,
            0.875,
            -1.25,
            0.625);
    private static final Tensor S1 =
            floats(sizes(1, 2, 6), 0.125, -0, -0.375, 1, 1.375, -0.625, -1.25, -0, -0.5, -0.5, -1.125, 1.5);
    private static final Tensor W1 =
            floats(sizes(2, 2, 3), -2, -2, 0.625, -0.125, -0.875, -0.75, 0.125, 0, 0.125, -0.5, -1.375, -1.75);

    @Test
    void ordinary() {
        expect(
                tensor("conv2d", IMAGE, W, floats(sizes(4), 0.5, -1, 0, 2), ints(2, 1), ints(1, 1), ints(1, 1), 1L),
                sizes(1, 4, 2, 5),
                5.09375,
                1.734375,
                2.265625,
                -3.1875,
                4.25,
                -2,
                2.734375,
                -2.15625,
                -1.21875,
                -2.875,
                -4.96875,
                -2.234375,
                -1.140625,
                -6.625,
                1.234375,
                5.21875,
                5.15625,
                0.078125,
                0.5,
                -4.953125,
                -1.6875,
                4.375,
                -10.109375,
                9.59375,
                -2.3125,
                1.15625,
                -1.34375,
                -1.515625,
                0.296875,
                4.109375,
                1.71875,
                -1.65625,
                2.421875,
                -2.234375,
                3.671875,
                3.890625,
                8.375,
                14.234375,
                -6.234375,
                3.75);
        expect(
                tensor(
                        "conv2d",
                        IMAGE,
                        floats(sizes(2, 1, 2, 2), 0.25, -0.75, 0.5, -0.375, -0.25, 0.125, -1, 0.125),
                        null,
                        ints(1, 1),
                        ints(0, 0),
                        ints(2, 2),
                        2L),
                sizes(1, 2, 2, 3),
                0.90625,
                1.953125,
                0.140625,
                0.703125,
                -0.5625,
                0.53125,
                -0.21875,
                0.671875,
                1.421875,
                -0.703125,
                -0.6875,
                0.015625);
        expect(
                tensor("conv1d", S1, W1, floats(sizes(2), 1, -1), ints(1), ints(2), ints(2), 1L),
                sizes(1, 2, 6),
                1.984375,
                2,
                3.796875,
                -2.078125,
                0.046875,
                -1,
                1.546875,
                0,
                2.46875,
                -3.015625,
                0.75,
                -2.6875);
        expect(
                tensor(
                        "conv2d.padding",
                        IMAGE,
                        floats(sizes(1, 2, 2, 2), -2.125, 0.875, 0.25, -1.375, 1.125, 0.625, 0.875, 1),
                        null,
                        ints(1, 1),
                        "same",
                        ints(1, 1),
                        1L),
                sizes(1, 1, 4, 5),
                5.671875,
                0.421875,
                0.453125,
                3.171875,
                -0.4375,
                -0.515625,
                3.28125,
                3.625,
                -1.484375,
                1.078125,
                -0.609375,
                -5.359375,
                -4.765625,
                3.078125,
                0.5625,
                -1.65625,
                -0.5,
                -0.96875,
                -1.25,
                -2.859375);
        expect(
                tensor(
                        "conv3d",
                        floats(
                                sizes(1, 1, 2, 3, 3),
                                -0.75,
                                -1.75,
                                -1.375,
                                -0.625,
                                -0.625,
                                0.125,
                                -0.875,
                                -1.375,
                                0.625,
                                -0.25,
                                1.125,
                                -0.25,
                                -0.125,
                                -0.625,
                                -1.25,
                                1.625,
                                0.875,
                                0),
                        floats(sizes(1, 1, 2, 2, 2), 1.125, 1.125, -1.5, 0.5, -0.5, -1.625, -0.5, -0.625),
                        floats(sizes(1), 0.5),
                        ints(1, 1, 1),
                        ints(0, 0, 0),
                        ints(1, 1, 1),
                        1L),
                sizes(1, 1, 1, 2, 2),
                -2.9375,
                -1.078125,
                -0.5625,
                4.21875);
    }

    @Test
    void transposed() {
        expect(
                tensor(
                        "conv_transpose2d.input",
                        floats(sizes(1, 2, 2, 2), 0.375, 0.125, -0.875, -1.25, 1.625, 0.5, 0.25, 2.5),
                        floats(
                                sizes(2, 2, 2, 2),
                                0.375,
                                0.625,
                                0.25,
                                1.625,
                                1.125,
                                -0.75,
                                0.5,
                                1.75,
                                0.625,
                                -1.125,
                                -1.5,
                                -0.625,
                                -0.375,
                                1.25,
                                -0.625,
                                2),
                        null,
                        ints(2, 2),
                        ints(0, 0),
                        ints(1, 1),
                        1L,
                        ints(1, 1)),
                sizes(1, 2, 5, 5),
                1.15625,
                -1.59375,
                0.359375,
                -0.484375,
                0,
                -2.34375,
                -0.40625,
                -0.71875,
                -0.109375,
                0,
                -0.171875,
                -0.828125,
                1.09375,
                -3.59375,
                0,
                -0.59375,
                -1.578125,
                -4.0625,
                -3.59375,
                0,
                0,
                0,
                0,
                0,
                0,
                -0.1875,
                1.75,
                -0.046875,
                0.53125,
                0,
                -0.828125,
                3.90625,
                -0.25,
                1.21875,
                0,
                -1.078125,
                0.96875,
                -2.34375,
                4.0625,
                0,
                -0.59375,
                -1.03125,
                -2.1875,
                2.8125,
                0,
                0,
                0,
                0,
                0,
                0);
        expect(
                tensor(
                        "conv_transpose1d",
                        floats(sizes(1, 2, 3), 0.125, -0, -0.375, -1.25, -0, -0.5),
                        W1,
                        null,
                        ints(2),
                        ints(1),
                        ints(0),
                        1L,
                        ints(1)),
                sizes(1, 2, 5),
                -0.25,
                -0.078125,
                0,
                0.6875,
                0.75,
                1.609375,
                2.09375,
                0,
                0.296875,
                1.015625);
    }

    @Test
    void doubles() {
        Tensor t8 = tensor(
                "conv2d",
                Tensor.of(
                        DType.FLOAT64,
                        new double[] {
                            0.375, 0.125, -0.625, -0, -0.375, -0.875, -1.25, -0.625, 0.5, -0.875, 0.5, 1.5, -0.25,
                            -3.125, -0.375, 1.375, 0.625, 0.625, 0.5, 0.75, 1.625, 0.5, -1.5, 1.625, -0.125, 0.25, 2.5,
                            -1.125, 1.625, -1, -0.5, -0.75, -1, -1.25, 0.5, 0.5, 0.25, -0, -0.125, -1.125
                        },
                        1,
                        2,
                        4,
                        5),
                Tensor.of(
                        DType.FLOAT64,
                        new double[] {
                            -0.125, 0.375, -0.75, 0.125, 0.625, -0.25, 1.625, -1.625, -0, -0.25, 0.25, -0.25, 0.875,
                            0.25, 0.625, 0.375, 0.25, 0.875, -0.5, -1.625, 1, 0.5, -0.125, 0, 0.625, 2.25, 1.875, -1.25,
                            1, 0.5, 2.375, -0.125, -0.5, -0.25, -0.375, 0.375, 0, -0.125, 0.375, -0.875, -0.25, 0.125,
                            0.125, 0.625, -1, 0.125, 0.625, 0.875, -0.5, 2.25, -0.375, -0.125, 0.625, -2.375, 1.25,
                            -0.25, 0.75, 1.125, 1.75, -1.5, 1.125, 2, -0.375, 1.75, 0.375, 0.5, 0.5, -0.25, -0.625,
                            0.875, -1.25, 0.625
                        },
                        4,
                        2,
                        3,
                        3),
                null,
                ints(1, 1),
                ints(0, 0),
                ints(1, 1),
                1L);
        expect(
                t8,
                sizes(1, 4, 2, 3),
                -2.90625,
                2.3125,
                4.84375,
                2.234375,
                -2.65625,
                -1.71875,
                0.515625,
                -1.03125,
                -6.359375,
                6.15625,
                1.078125,
                1.5,
                9.09375,
                3.140625,
                2.03125,
                -1.34375,
                -1.515625,
                0.296875,
                3.75,
                0.875,
                -7.390625,
                6.375,
                12.234375,
                -8.234375);
        assertEquals(DType.FLOAT64, t8.dtype());
    }

    @Test
    void channelsLastInputsGiveTheSameAndStayChannelsLast() {
        Tensor row = tensor("conv2d", IMAGE, W, null, ints(1, 1), ints(1, 1), ints(1, 1), 1L);
        Tensor last = tensor(
                "conv2d",
                IMAGE.contiguous(MemoryFormat.CHANNELS_LAST),
                W,
                null,
                ints(1, 1),
                ints(1, 1),
                ints(1, 1),
                1L);
        assertTrue(last.isContiguous(MemoryFormat.CHANNELS_LAST));
        for (int i = 0; i < row.numel(); i++) {
            assertEquals(row.getDouble(i), last.getDouble(i), 1e-5);
        }
    }

    @Test
    void refusesWrongChannelsStridesAndSizes() {
        assertThrows(
                IllegalArgumentException.class, () -> tensor("conv2d", floats(sizes(1, 1, 3, 3), new double[9]), W));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("conv2d", IMAGE, W, null, ints(0, 1), ints(0, 0), ints(1, 1), 1L));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("conv2d", IMAGE, W, null, ints(1, 1), ints(0, 0), ints(9, 9), 1L));
    }

    @Test
    void stepsAndPaddingOfAnySizeAreComputedOrRefused() {
        Tensor row = floats(sizes(1, 1, 1, 7), 1, 2, 3, 4, 5, 6, 7);
        Tensor ones = floats(sizes(1, 1, 1, 3), 1, 1, 1);
        long most = Integer.MAX_VALUE;
        expect(tensor("conv2d", row, ones, null, ints(1, most), ints(0, 5), ints(1, 1), 1L), sizes(1, 1, 1, 1), 0);
        expect(tensor("conv2d", row, ones, null, ints(1, most), ints(0, 2), ints(1, 4), 1L), sizes(1, 1, 1, 1), 10);
        expect(
                tensor(
                        "conv1d",
                        floats(sizes(1, 1, 7), 1, 2, 3, 4, 5, 6, 7),
                        floats(sizes(1, 1, 3), 1, 1, 1),
                        null,
                        ints(most),
                        ints(1),
                        ints(1),
                        1L),
                sizes(1, 1, 1),
                3);
        expect(
                tensor(
                        "conv_transpose1d",
                        floats(sizes(1, 1, 2), 1, 2),
                        floats(sizes(1, 1, 1), 3),
                        null,
                        ints(100000),
                        ints(50000),
                        ints(0),
                        1L,
                        ints(1)),
                sizes(1, 1, 1),
                0);
        assertEquals(
                "padded input: 4294967301 (expected: <= 1073741824)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> tensor("conv2d", row, ones, null, ints(1, 65536), ints(0, most), ints(1, 1), 1L))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("conv2d.padding", row, ones, null, ints(1, 1), "same", ints(1, most), 1L));
    }
}
