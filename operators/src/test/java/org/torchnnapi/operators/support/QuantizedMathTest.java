package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class QuantizedMathTest {
    private static final Quantization.PerTensor PARAMETERS = new Quantization.PerTensor(0.03, 5);

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"QINT8", "QUINT8", "QINT32"})
    void everyElementIsRoundedByTheOneRule(DType type) {
        float[] x = values(2 * 3 * 5 * 7);
        Tensor real = Tensor.of(x, 2, 3, 5, 7);
        Tensor quantized = QuantizedMath.quantize(real, PARAMETERS, type);
        for (int i = 0; i < x.length; i++) {
            assertEquals(
                    QuantizedMath.integer(x[i], 1f / (float) PARAMETERS.scale(), PARAMETERS.zeroPoint(), type),
                    integer(quantized, i),
                    "element " + i + ", " + x[i]);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"QINT8", "QUINT8", "QINT32"})
    void layoutsAndViewsAreQuantizedAlike(DType type) {
        Tensor whole = Tensor.of(values(2 * 3 * 5 * 7), 2, 3, 5, 7);
        Tensor last = QuantizedMath.quantize(whole.contiguous(MemoryFormat.CHANNELS_LAST), PARAMETERS, type);
        Tensor turned = QuantizedMath.quantize(whole.permute(3, 1, 0, 2), PARAMETERS, type);
        Tensor plain = QuantizedMath.quantize(whole, PARAMETERS, type);
        float[] expected =
                QuantizedMath.dequantize(plain).contiguous().storage().floatArray();
        assertArrayEquals(
                expected, QuantizedMath.dequantize(last).contiguous().storage().floatArray());
        assertArrayEquals(
                expected,
                QuantizedMath.dequantize(turned.permute(2, 1, 3, 0))
                        .contiguous()
                        .storage()
                        .floatArray());
        for (int i = 0; i < expected.length; i++) {
            assertEquals((integer(plain, i) - PARAMETERS.zeroPoint()) * (float) PARAMETERS.scale(), expected[i]);
        }
    }

    @Test
    void aLoneNanIsTheLeastInteger() {
        for (int at = 0; at < 37; at++) {
            float[] x = new float[37];
            x[at] = Float.NaN;
            Tensor quantized = QuantizedMath.quantize(Tensor.of(x, 37), PARAMETERS, DType.QINT8);
            for (int i = 0; i < x.length; i++) {
                assertEquals(i == at ? -128 : 5, integer(quantized, i), "NaN at " + at + ", element " + i);
            }
        }
    }

    private static float[] values(int count) {
        Random random = new Random(1);
        float[] x = new float[count];
        for (int i = 0; i < count; i++) {
            // Every fourth lies half-way between two integers, the others anywhere, past both ends too.
            x[i] = i % 4 == 0 ? (random.nextInt(200) - 100 + 0.5f) * 0.03f : (float) random.nextGaussian() * 4;
        }
        x[1] = Float.NaN;
        x[2] = Float.POSITIVE_INFINITY;
        x[3] = Float.NEGATIVE_INFINITY;
        x[5] = -0f;
        return x;
    }

    private static long integer(Tensor t, int i) {
        return Elements.longReader(t.dtype(), t.storage().array()).get(i);
    }
}
