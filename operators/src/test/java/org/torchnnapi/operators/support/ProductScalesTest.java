package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Numbers from PyTorch 1.13.1's QNNPACK engine, chosen where one rounding more or less gives another integer. */
class ProductScalesTest {
    private static Tensor weight(double scale) {
        return Tensor.of(DType.QINT8, new byte[1], 1, 1).withQuantization(new Quantization.PerTensor(scale, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "25, 0.15070000290870667, 15, 0.07999999821186066, 0.8220000267028809, 6, 5",
        "104, 0.15700000524520874, 11, 0.05739999935030937, 0.2370000034570694, 43, 44",
        "12, 0.023099999874830246, 100, 0.11249999701976776, 0.1889999955892563, 17, 16"
    })
    void unsignedInputsAreScaledByAReciprocalSignedOnesByAQuotient(
            int w, double weightScale, int x, double inputScale, double outputScale, int unsigned, int signed) {
        for (DType type : new DType[] {DType.QUINT8, DType.QINT8}) {
            ProductScales scales = ProductScales.of(weight(weightScale), type, inputScale, outputScale);
            assertEquals(
                    type == DType.QUINT8 ? unsigned : signed,
                    scales.requantization(0, type, false).apply(w * x, 0),
                    type.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.08889999985694885, 0.14869999885559082, 0.07270686328411102, 5",
        "0.02710000053048134, 0.15449999272823334, 0.8729790449142456, 208",
        "0.10620000213384628, 0.13040000200271606, 2.9428021907806396, 213",
        // Of scales that are no floats: the product is rounded once.
        "0.0803, 0.1247, 0.7860527634620667, 79",
        "0.1223, 0.0672, 0.9163693785667419, 111",
        "0.0833, 0.0767, 0.19486786425113678, 31"
    })
    void aBiasIsMultipliedByAReciprocal(double weightScale, double inputScale, float bias, int expected) {
        ProductScales scales = ProductScales.of(weight(weightScale), DType.QUINT8, inputScale, 1);
        assertArrayEquals(new int[] {expected}, scales.bias(Tensor.of(new float[] {bias}, 1), 1));
    }
}
