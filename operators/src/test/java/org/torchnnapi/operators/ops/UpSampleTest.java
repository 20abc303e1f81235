package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Resizing. Expected values are genuine PyTorch's. */
class UpSampleTest {
    private static final Tensor Q = floats(sizes(1, 1, 2, 3), -0.125, -2.125, 0.25, 0, -1.375, -0.25);

    @Test
    void nearestAndLinear() {
        expect(
                tensor("upsample_nearest2d", Q, ints(4, 5), null, null),
                sizes(1, 1, 4, 5),
                -0.125,
                -0.125,
                -2.125,
                -2.125,
                0.25,
                -0.125,
                -0.125,
                -2.125,
                -2.125,
                0.25,
                0,
                0,
                -1.375,
                -1.375,
                -0.25,
                0,
                0,
                -1.375,
                -1.375,
                -0.25);
        expect(
                tensor("_upsample_nearest_exact2d", Q, ints(3, 4), null, null),
                sizes(1, 1, 3, 4),
                -0.125,
                -2.125,
                -2.125,
                0.25,
                0,
                -1.375,
                -1.375,
                -0.25,
                0,
                -1.375,
                -1.375,
                -0.25);
        expect(
                tensor("upsample_bilinear2d", Q, ints(3, 5), false, null, null),
                sizes(1, 1, 3, 5),
                -0.125,
                -0.925000072,
                -2.12499976,
                -0.699999809,
                0.25,
                -0.0625,
                -0.737500072,
                -1.74999988,
                -0.699999869,
                0,
                0,
                -0.550000072,
                -1.37499988,
                -0.699999869,
                -0.25);
        expect(
                tensor("upsample_bilinear2d", Q, ints(3, 5), true, null, null),
                sizes(1, 1, 3, 5),
                -0.125,
                -1.125,
                -2.125,
                -0.9375,
                0.25,
                -0.0625,
                -0.90625,
                -1.75,
                -0.875,
                0,
                0,
                -0.6875,
                -1.375,
                -0.8125,
                -0.25);
        expect(
                tensor(
                        "upsample_linear1d",
                        floats(sizes(1, 2, 3), -0.125, -2.125, 0.25, 0, -1.375, -0.25),
                        ints(5),
                        false,
                        null),
                sizes(1, 2, 5),
                -0.125,
                -0.925000072,
                -2.12499976,
                -0.699999809,
                0.25,
                0,
                -0.550000072,
                -1.37499988,
                -0.699999928,
                -0.25);
        expect(
                tensor("upsample_nearest2d.vec", Q, null, new ScriptList(Type.Basic.FLOAT, List.of(1.5, 2.0))),
                sizes(1, 1, 3, 6),
                -0.125,
                -0.125,
                -2.125,
                -2.125,
                0.25,
                0.25,
                -0.125,
                -0.125,
                -2.125,
                -2.125,
                0.25,
                0.25,
                0,
                0,
                -1.375,
                -1.375,
                -0.25,
                -0.25);
    }

    @Test
    void whatNoHeapHoldsIsRefusedBeforeItIsMade() {
        for (int[] size : new int[][] {{40000, 40000}, {400000, 400000}}) {
            for (Object[] call : new Object[][] {
                {"upsample_nearest2d", Q, ints(size[0], size[1]), null, null},
                {"upsample_bilinear2d", Q, ints(size[0], size[1]), false, null, null},
                {"upsample_bicubic2d", Q, ints(size[0], size[1]), false, null, null}
            }) {
                MemoryException e = assertThrows(
                        MemoryException.class,
                        () -> tensor((String) call[0], Arrays.copyOfRange(call, 1, call.length)));
                assertTrue(e.getMessage().contains("elements"), e.getMessage());
            }
        }
    }

    /** Positions and weights along a dimension take more than the elements, and are made before them. */
    @Test
    void whereResultsComeFromIsNotKeptForMoreThanTheHeapHolds() {
        int most = 2_000_000_000;
        // Of which the elements alone would find room.
        int fits = (int) Math.min(Runtime.getRuntime().maxMemory() / (2 * Double.BYTES), most);
        String[] curved = {
            "upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"
        };
        for (Tensor x : new Tensor[] {Q, Elements.cast(Q, DType.FLOAT64), Elements.cast(Q, DType.BFLOAT16)}) {
            for (int size : new int[] {most, fits}) {
                refused("upsample_nearest2d", x, ints(size, 1), null, null);
                refused("_upsample_nearest_exact2d", x, ints(1, size), null, null);
                for (String name : curved) {
                    refused(name, x, ints(size, 1), false, null, null);
                    refused(name, x, ints(1, size), true, null, null);
                }
            }
        }
        Tensor bytes = tensor("quantize_per_tensor", Q, 0.1, 0L, 13L);
        refused("upsample_nearest2d", bytes, ints(most, 1), null, null);
        refused("upsample_bilinear2d", bytes, ints(1, most), false, null, null);
    }

    private static void refused(String name, Object... arguments) {
        MemoryException e = assertThrows(MemoryException.class, () -> tensor(name, arguments), name);
        assertNull(e.getCause(), "an error that was met, not foreseen");
    }

    /** Bits, as PyTorch rounds every step. */
    @Test
    void bfloatsAreRoundedStepByStep() {
        Tensor x = Elements.cast(Q, DType.BFLOAT16);
        bits(
                tensor("upsample_bilinear2d", x, ints(3, 5), false, null, null),
                -0.125,
                -0.9296875,
                -2.109375,
                -0.6875,
                0.25,
                -0.0625,
                -0.7421875,
                -1.7421875,
                -0.69140625,
                0.0,
                0.0,
                -0.5546875,
                -1.3671875,
                -0.69140625,
                -0.25);
        bits(
                tensor("upsample_bilinear2d", x, ints(3, 5), true, null, null),
                -0.125,
                -1.125,
                -2.125,
                -0.9375,
                0.25,
                -0.0625,
                -0.90625,
                -1.75,
                -0.875,
                0.0,
                0.0,
                -0.6875,
                -1.375,
                -0.8125,
                -0.25);
        bits(
                tensor("upsample_bicubic2d", x, ints(3, 5), false, null, null),
                0.0927734375,
                -1.140625,
                -2.25,
                -0.8203125,
                0.578125,
                0.12255859375,
                -0.8515625,
                -1.75,
                -0.78515625,
                0.1923828125,
                0.1533203125,
                -0.6015625,
                -1.3125,
                -0.7734375,
                -0.171875);
        bits(
                tensor("upsample_linear1d", TensorViews.reshape(x, 1, 2, 3), ints(7), false, null),
                -0.125,
                -0.408203125,
                -1.265625,
                -2.109375,
                -1.109375,
                -0.103515625,
                0.25,
                0.0,
                -0.1943359375,
                -0.78515625,
                -1.3671875,
                -0.89453125,
                -0.41796875,
                -0.25);
        double[] values = {
            0.0,
            2.515625,
            2.734375,
            0.42578125,
            -2.28125,
            -2.875,
            -0.8359375,
            1.96875,
            2.96875,
            1.234375,
            -1.625,
            -3.0,
            -1.609375,
            1.2578125,
            2.96875,
            1.9453125,
            -0.859375,
            -2.875,
            -2.25,
            0.44921875,
            2.75,
            2.5,
            -0.026611328125,
            -2.546875,
            -2.71875,
            -0.3984375,
            2.28125,
            2.875,
            0.8125,
            -1.9921875,
            -2.96875,
            -1.2109375,
            1.65625,
            3.0,
            1.578125,
            -1.28125,
            -2.96875,
            -1.9375,
            0.890625,
            2.890625
        };
        Tensor y = Elements.ofDoubles(DType.BFLOAT16, values, 1, 10, 2, 2);
        Tensor together =
                tensor("upsample_bilinear2d", y.copy(MemoryFormat.CHANNELS_LAST), ints(3, 5), false, null, null);
        bits(
                TensorViews.slice(together, 1, 0L, 10L, 9),
                0.0,
                0.25390625,
                1.2578125,
                2.265625,
                2.515625,
                1.3671875,
                1.375,
                1.421875,
                1.4609375,
                1.46875,
                2.734375,
                2.484375,
                1.578125,
                0.6484375,
                0.423828125,
                -2.96875,
                -2.859375,
                -2.453125,
                -2.03125,
                -1.9375,
                -1.0390625,
                -0.88671875,
                -0.28125,
                0.328125,
                0.4765625,
                0.890625,
                1.0859375,
                1.890625,
                2.6875,
                2.875);
        Tensor volume = tensor(
                "upsample_trilinear3d", TensorViews.reshape(y, 1, 5, 2, 2, 2), ints(3, 3, 3), false, null, null, null);
        bits(
                TensorViews.slice(volume, 1, 0L, 5L, 4),
                0.0,
                1.2578125,
                2.5,
                1.3671875,
                1.421875,
                1.4609375,
                2.734375,
                1.5703125,
                0.42578125,
                -1.140625,
                -0.66015625,
                -0.1796875,
                -0.09765625,
                0.20703125,
                0.5078125,
                0.953125,
                1.0703125,
                1.1953125,
                -2.28125,
                -2.578125,
                -2.859375,
                -1.5625,
                -1.0078125,
                -0.4453125,
                -0.828125,
                0.56640625,
                1.96875,
                1.65625,
                2.328125,
                3.0,
                1.6171875,
                1.234375,
                0.859375,
                1.5703125,
                0.1484375,
                -1.28125,
                -0.65625,
                -0.0625,
                0.53515625,
                0.2890625,
                0.4765625,
                0.6640625,
                1.234375,
                1.015625,
                0.7890625,
                -2.953125,
                -2.453125,
                -1.9296875,
                -1.0390625,
                -0.28125,
                0.470703125,
                0.890625,
                1.8828125,
                2.859375);
    }

    private static void bits(Tensor actual, double... expected) {
        assertEquals(DType.BFLOAT16, actual.dtype());
        assertArrayEquals(expected, Elements.doubles(actual));
    }

    @Test
    void weightsOfDoublesAreDoubles() {
        Tensor x = Tensor.of(DType.FLOAT64, new double[] {0, 1, 5}, 1, 1, 3);
        double[] expected = {
            0.0, 0.14285714285714282, 0.5714285714285714, 0.9999999999999999, 2.7142857142857135, 4.428571428571428, 5.0
        };
        Tensor actual = tensor("upsample_linear1d", x, ints(7), false, null);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual.getDouble(i), 1e-15);
        }
    }

    @Test
    void cubicAndSmoothed() {
        expect(
                tensor("upsample_bicubic2d", Q, ints(3, 4), false, null, null),
                sizes(1, 1, 3, 4),
                0.0115981642,
                -1.72269726,
                -1.52085578,
                0.471662402,
                0.0586242676,
                -1.33416748,
                -1.30477905,
                0.125610352,
                0.105650365,
                -0.945638239,
                -1.0887028,
                -0.22044149);
        expect(
                tensor(
                        "_upsample_bilinear2d_aa",
                        floats(
                                sizes(1, 1, 4, 4),
                                0.25,
                                -1.375,
                                -0.75,
                                -1.25,
                                0.5,
                                0.375,
                                2.25,
                                0.25,
                                1.375,
                                -1,
                                0.5,
                                -0.375,
                                0.75,
                                0.5,
                                1.25,
                                0),
                        ints(2, 3),
                        false,
                        null,
                        null),
                sizes(1, 1, 2, 3),
                0.191071436,
                0.0714285821,
                -0.123214394,
                0.639285684,
                0.455357164,
                0.233928457);
    }

    /** All modes by one operator, with numbers for every dimension or lists, as files of PyTorch 1.4 call it. */
    @Test
    void earlyFormsChooseTheModeWhenTheyRun() {
        Tensor x = floats(sizes(1, 1, 2, 3), 0, 1, 2, 3, 4, 5);
        expect(tensor("__interpolate", x, null, 1.7), sizes(1, 1, 3, 5), 0, 0, 1, 1, 2, 0, 0, 1, 1, 2, 3, 3, 4, 4, 5);
        expect(
                tensor("__interpolate", x, null, 1.7, "bilinear", true),
                sizes(1, 1, 3, 5),
                0,
                0.5,
                1,
                1.5,
                2,
                1.5,
                2,
                2.5,
                3,
                3.5,
                3,
                3.5,
                4,
                4.5,
                5);
        expect(
                tensor("__interpolate", x, null, 1.7, "bilinear", false, true),
                sizes(1, 1, 3, 5),
                0,
                0.4,
                1,
                1.6,
                2,
                1.5,
                1.9,
                2.5,
                3.1,
                3.5,
                3,
                3.4,
                4,
                4.6,
                5);
        expect(
                tensor("__interpolate", x, null, 1.7, "bilinear", false, false),
                sizes(1, 1, 3, 5),
                0,
                0.382353,
                0.970588,
                1.558824,
                2,
                1.147059,
                1.529412,
                2.117647,
                2.705882,
                3.147059,
                2.911765,
                3.294118,
                3.882353,
                4.470588,
                4.911765);
        expect(tensor("__interpolate.size_list", x, ints(1, 2), null, "area"), sizes(1, 1, 1, 2), 2, 3);
        expect(
                tensor("__upsample_bilinear.scale_list", x, null, ints(2, 1)),
                sizes(1, 1, 4, 3),
                0,
                1,
                2,
                1,
                2,
                3,
                2,
                3,
                4,
                3,
                4,
                5);
        expect(tensor("__upsample_nearest", x, 4L), sizes(1, 1, 4, 4), 0, 0, 1, 2, 0, 0, 1, 2, 3, 3, 4, 5, 3, 3, 4, 5);
        assertThrows(RuntimeException.class, () -> tensor("__upsample", x, 4L, null, "other"));
    }

    @Test
    void refusesEmptySizes() {
        assertThrows(IllegalArgumentException.class, () -> tensor("upsample_nearest2d", Q, ints(0, 2), null, null));
    }
}
