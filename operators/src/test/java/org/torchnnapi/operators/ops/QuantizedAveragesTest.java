package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Means half way between two bytes, of 2x7 windows with scale 0.07, as PyTorch 1.13.1's kernels round them on x86. */
class QuantizedAveragesTest {
    private static final int[] SHAPE = {2, 7};

    static Stream<Arguments> means() {
        return Stream.of(
                Arguments.of(
                        "avg_pool2d",
                        DType.QUINT8,
                        false,
                        1,
                        22,
                        new int[] {44, 69, 51, 74, 49, 48, 20, 54, 73, 56, 21, 76, 44, 42},
                        51),
                Arguments.of(
                        "ceil",
                        DType.QUINT8,
                        false,
                        2,
                        53,
                        new int[] {32, 18, 2, 66, 53, 13, 47, 72, 86, 70, 43, 71, 82, 66},
                        52),
                Arguments.of(
                        "ceil",
                        DType.QUINT8,
                        true,
                        8,
                        41,
                        new int[] {80, 54, 58, 26, 49, 46, 58, 47, 60, 41, 1, 42, 14, 89},
                        48),
                Arguments.of(
                        "ceil",
                        DType.QUINT8,
                        true,
                        3,
                        32,
                        new int[] {49, 83, 96, 14, 19, 61, 29, 82, 53, 86, 71, 78, 66, 60},
                        61),
                Arguments.of(
                        "adaptive_avg_pool2d",
                        DType.QINT8,
                        false,
                        2,
                        28,
                        new int[] {54, 93, 87, 67, 75, 18, 41, 44, 25, 59, 83, 97, 56, 20},
                        59),
                Arguments.of(
                        "adaptive_avg_pool2d",
                        DType.QINT8,
                        true,
                        3,
                        35,
                        new int[] {51, 42, 21, 90, 75, 23, 33, 27, 3, 37, 97, 6, 92, 68},
                        48),
                Arguments.of(
                        "front",
                        DType.QUINT8,
                        false,
                        2,
                        14,
                        new int[] {48, 49, 34, 79, 23, 62, 11, 84, 80, 29, 34, 45, 71, 16},
                        47),
                Arguments.of(
                        "back",
                        DType.QUINT8,
                        false,
                        2,
                        29,
                        new int[] {40, 23, 92, 16, 99, 83, 26, 5, 29, 31, 81, 72, 26, 84},
                        50));
    }

    private static ScriptList list(long... values) {
        return new ScriptList(Type.Basic.INT, Arrays.stream(values).boxed().toList());
    }

    @ParameterizedTest
    @MethodSource("means")
    void roundAsTheKernelThatPyTorchTakes(
            String name, DType type, boolean last, int channels, int zeroPoint, int[] plane, int expected) {
        byte[] values = new byte[channels * plane.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) plane[i % plane.length];
        }
        Tensor rows = Tensor.of(type, values, 1, channels, SHAPE[0], SHAPE[1])
                .withQuantization(new Quantization.PerTensor(0.07, zeroPoint));
        Tensor t = last ? rows.copy(MemoryFormat.CHANNELS_LAST) : rows;
        Tensor mean = switch (name) {
            case "avg_pool2d" -> Op.tensor(name, t, list(2, 7));
            case "ceil" -> Op.tensor("avg_pool2d", t, list(2, 7), list(), list(0), true);
            case "adaptive_avg_pool2d" -> Op.tensor(name, t, list(1, 1));
            case "front" -> Op.tensor("mean.dim", t, list(2, 3));
            default -> Op.tensor("mean.dim", t, list(-2, -1));
        };
        for (int integer : QuantizedMath.ints(mean)) {
            assertEquals(expected, integer);
        }
    }

    /** As PyTorch 1.13 has them: (48, 16, 4, 1), (48, 1, 12, 3) and, of single pixels, what QNNPACK works with. */
    @Test
    void poolsKeepTheMemoryFormat() {
        for (DType type : new DType[] {DType.QUINT8, DType.QINT8}) {
            for (boolean ceil : new boolean[] {false, true}) {
                Tensor rows = Tensor.of(type, new byte[2 * 3 * 8 * 8], 2, 3, 8, 8)
                        .withQuantization(new Quantization.PerTensor(0.07, 5));
                Tensor last = rows.copy(MemoryFormat.CHANNELS_LAST);
                for (Tensor images : new Tensor[] {rows, last}) {
                    int[] strides = images == rows ? new int[] {48, 16, 4, 1} : new int[] {48, 1, 12, 3};
                    assertArrayEquals(
                            strides,
                            Op.tensor("avg_pool2d", images, list(2, 2), list(), list(0), ceil)
                                    .strides());
                    assertArrayEquals(
                            strides,
                            Op.tensor("max_pool2d", images, list(2, 2), list(), list(0), list(1), ceil)
                                    .strides());
                    assertArrayEquals(
                            strides,
                            Op.tensor("adaptive_avg_pool2d", images, list(4, 4)).strides());
                }
            }
        }
        Tensor square =
                Tensor.of(DType.QUINT8, new byte[16], 1, 4, 2, 2).withQuantization(new Quantization.PerTensor(0.07, 5));
        for (Tensor pixel : new Tensor[] {
            Op.tensor("avg_pool2d", square, list(2, 2)),
            Op.tensor("max_pool2d", square, list(2, 2)),
            Op.tensor("adaptive_avg_pool2d", square, list(1, 1))
        }) {
            assertArrayEquals(new int[] {4, 1, 4, 4}, pixel.strides());
        }
    }
}
