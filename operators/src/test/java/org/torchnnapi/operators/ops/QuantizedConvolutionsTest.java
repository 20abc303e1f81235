package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Convolutions of real numbers that are quantized by their own range. Expected values are genuine PyTorch's, with
 * QNNPACK.
 */
class QuantizedConvolutionsTest {
    private static Tensor input(int... sizes) {
        float[] x = new float[Arrays.stream(sizes).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < x.length; i++) {
            x[i] = i * 37 % 11 / 3f - 1.2f;
        }
        return Tensor.of(x, sizes);
    }

    private static Tensor weight(int... sizes) {
        float[] w = new float[12];
        for (int i = 0; i < w.length; i++) {
            w[i] = i * 29 % 7 / 5f - 0.6f;
        }
        return tensor("quantize_per_tensor", Tensor.of(w, sizes), 0.05, 0L, (long) DType.QINT8.code());
    }

    @Test
    void overOneDimension() {
        Object packed =
                call("quantized::conv1d_prepack", weight(2, 2, 3), vector(0.3, -0.7), ints(1), ints(1), ints(1), 1L);
        Tensor all = input(1, 2, 12);
        Tensor x = all.asStrided(sizes(1, 2, 4), sizes(24, 12, 1), 0);
        expect(
                tensor("quantized::conv1d_dynamic", x.contiguous(), packed),
                DType.FLOAT32,
                sizes(1, 2, 4),
                1.3699346780776978,
                0.6169934868812561,
                -0.17777778208255768,
                -0.13594771921634674,
                0.26143792271614075,
                -1.202614426612854,
                -1.202614426612854,
                0.8679738640785217);
        Object transposed = call(
                "quantized::conv_transpose1d_prepack",
                weight(2, 2, 3),
                vector(0.3, -0.7),
                ints(2),
                ints(0),
                ints(0),
                ints(1),
                1L);
        expect(
                tensor("quantized::conv_transpose1d_dynamic", input(1, 2, 3), transposed),
                sizes(1, 2, 7),
                0.4941176474094391,
                1.3058823347091675,
                1.0941176414489746,
                -0.03529411926865578,
                0.2823529541492462,
                -1.2000000476837158,
                -0.7176470756530762,
                -0.529411792755127,
                -0.9411764740943909,
                -1.2000000476837158,
                -0.6705882549285889,
                -0.9176470637321472,
                -0.4117647111415863,
                0.24705882370471954);
    }

    @Test
    void overTwoDimensions() {
        Object packed = call(
                "quantized::conv2d_prepack",
                weight(2, 1, 2, 3),
                vector(0.3, -0.7),
                ints(1, 1),
                ints(0, 1),
                ints(1, 1),
                1L);
        expect(
                tensor("quantized::conv2d_dynamic", input(2, 1, 3, 4), packed, true),
                sizes(2, 2, 2, 4),
                1.5686274766921997,
                0.8235294222831726,
                0.026143791154026985,
                -0.0784313753247261,
                0.10457516461610794,
                -0.18300653994083405,
                -0.9803921580314636,
                0.06535948067903519,
                0.32679739594459534,
                -1.202614426612854,
                -1.202614426612854,
                0.7973856329917908,
                -1.202614426612854,
                -1.202614426612854,
                0.18300653994083405,
                -1.202614426612854,
                0.10457516461610794,
                0.026143791154026985,
                0.6797385811805725,
                1.058823585510254,
                0.10457516461610794,
                -0.9803921580314636,
                -0.3137255012989044,
                -1.0065360069274902,
                -1.202614426612854,
                -1.202614426612854,
                1.045751690864563,
                -1.202614426612854,
                -1.202614426612854,
                0.18300653994083405,
                -1.202614426612854,
                -1.202614426612854);
        Object transposed = call(
                "quantized::conv_transpose2d_prepack",
                weight(2, 1, 2, 3),
                vector(0.25),
                ints(1, 1),
                ints(0, 0),
                ints(0, 0),
                ints(1, 1),
                1L);
        expect(
                tensor("quantized::conv_transpose2d_dynamic", input(1, 2, 2, 2), transposed),
                sizes(1, 1, 3, 4),
                1.2470588684082031,
                1.4470587968826294,
                -0.8352941274642944,
                -0.4941176474094391,
                -1.0470588207244873,
                0.3764705955982208,
                -0.3294117748737335,
                0.5176470875740051,
                0.3529411852359772,
                0.38823530077934265,
                0.5529412031173706,
                0.05882352963089943);
    }

    @Test
    void overThreeDimensions() {
        Object packed = call(
                "quantized::conv3d_prepack",
                weight(2, 1, 1, 2, 3),
                vector(0.3, -0.7),
                ints(1, 1, 1),
                ints(0, 0, 0),
                ints(1, 1, 1),
                1L);
        expect(
                tensor("quantized::conv3d_dynamic", input(1, 1, 2, 3, 4), packed),
                sizes(1, 2, 2, 2, 2),
                0.8235294222831726,
                0.026143791154026985,
                -0.18300653994083405,
                -0.9803921580314636,
                0.026143791154026985,
                0.6797385811805725,
                -0.9803921580314636,
                -0.3137255012989044,
                -1.202614426612854,
                -1.202614426612854,
                -1.202614426612854,
                0.18300653994083405,
                -1.202614426612854,
                1.045751690864563,
                0.18300653994083405,
                -1.202614426612854);
    }

    @Test
    void onlyOfRealNumbers() {
        Object packed =
                call("quantized::conv2d_prepack", weight(2, 1, 2, 3), null, ints(1, 1), ints(0, 0), ints(1, 1), 1L);
        assertThrows(
                IllegalArgumentException.class,
                () -> call("quantized::conv2d_dynamic", Tensor.zeros(DType.INT64, 1, 1, 3, 4), packed));
    }
}
