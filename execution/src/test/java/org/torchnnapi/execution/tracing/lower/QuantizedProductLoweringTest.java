package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.CustomObject;

class QuantizedProductLoweringTest {
    private static Tensor weight(int... sizes) {
        return QuantizedMath.quantize(floats(sizes), new Quantization.PerTensor(0.02, 0), DType.QINT8);
    }

    private static Tensor perChannel(int... sizes) {
        double[] scales = new double[sizes[0]];
        Arrays.setAll(scales, i -> 0.01 + 0.003 * i);
        return QuantizedMath.quantize(
                floats(sizes), new Quantization.PerChannel(scales, new double[sizes[0]], 0, false), DType.QINT8);
    }

    private static CustomObject packed(Tensor weight, int stride, int padding, int groups, boolean transposed) {
        int[] two = {padding, padding};
        return ConvolutionParams.CLASS_2D.wrap(new ConvolutionParams(
                weight,
                floats(weight.size(transposed ? 1 : 0) * (transposed ? groups : 1)),
                new int[] {stride, stride},
                two,
                new int[] {1, 1},
                new int[2],
                groups,
                transposed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"conv2d", "conv2d_relu"})
    void images(String name) {
        String call = "ops.quantized." + name + "(x, CONSTANTS.c0, 0.07, 101)";
        lowered(call, new Object[] {packed(weight(5, 6, 3, 3), 1, 1, 1, false)}, bytes(2, 6, 7, 9));
        lowered(call, new Object[] {packed(perChannel(6, 1, 3, 3), 2, 1, 6, false)}, bytes(1, 6, 7, 9));
        lowered(call, new Object[] {packed(perChannel(5, 6, 1, 1), 1, 0, 1, false)}, bytes(1, 6, 7, 9));
    }

    @Test
    void transposed() {
        lowered(
                "ops.quantized.conv_transpose2d(x, CONSTANTS.c0, 0.07, 101)",
                new Object[] {packed(weight(6, 4, 3, 3), 2, 1, 1, true)},
                bytes(1, 6, 5, 5));
    }

    @Test
    void sequences() {
        ConvolutionParams params = new ConvolutionParams(
                weight(5, 6, 1, 3), null, new int[] {1, 2}, new int[] {0, 1}, new int[] {1, 1}, new int[2], 1, false);
        lowered(
                "ops.quantized.conv1d(x, CONSTANTS.c0, 0.07, 101)",
                new Object[] {ConvolutionParams.CLASS_2D.wrap(params)},
                bytes(2, 6, 15));
    }

    @ParameterizedTest
    @ValueSource(strings = {"linear", "linear_relu"})
    void layers(String name) {
        Object[] constants = {LinearParams.CLASS.wrap(new LinearParams(perChannel(5, 6), floats(5)))};
        lowered("ops.quantized." + name + "(x, CONSTANTS.c0, 0.05, 90)", constants, bytes(3, 6));
        lowered("ops.quantized." + name + "(x, CONSTANTS.c0, 0.05, 90)", constants, bytes(2, 3, 6));
    }

    /** Otherwise each new shape reads and packs all of them. */
    @Test
    void weightsOfOneMemoryAreReadOnce() {
        Tensor weight = perChannel(64, 64, 3, 3);
        QuantizedWeights first =
                QuantizedProductLowering.weights(weight, ProductScales.of(weight, DType.QUINT8, 0.1, 0.2));
        assertSame(first, QuantizedProductLowering.weights(weight, ProductScales.of(weight, DType.QUINT8, 0.3, 0.4)));
        LinearParams params = new LinearParams(perChannel(64, 64), floats(64));
        DynamicProduct product = DynamicLowering.product(params, false);
        assertSame(product, DynamicLowering.product(new LinearParams(params.weight(), params.bias()), false));
        assertNotSame(product, DynamicLowering.product(params, true));
        assertNotSame(product, DynamicLowering.product(new LinearParams(params.weight(), floats(64)), false));
        Quantization.PerChannel q = (Quantization.PerChannel) params.weight().quantization();
        Tensor rescaled = params.weight().withQuantization(new Quantization.PerTensor(q.scales()[0], 0));
        assertNotSame(product, DynamicLowering.product(new LinearParams(rescaled, params.bias()), false));
        weight.storage().byteArray()[5] ^= 1;
        weight.storage().written();
        QuantizedWeights changed =
                QuantizedProductLowering.weights(weight, ProductScales.of(weight, DType.QUINT8, 0.1, 0.2));
        assertNotSame(first, changed);
        assertEquals(first.values()[5] ^ 1, changed.values()[5]);
        params.weight().storage().written();
        assertNotSame(product, DynamicLowering.product(params, false));
    }

    /** A memory of bytes may be several weights: with a sign or without, with one zero point or another. */
    @Test
    void otherZeroPointsAreOtherWeights() {
        Tensor weight = weight(8, 8);
        Tensor moved = weight.withQuantization(new Quantization.PerTensor(0.02, 3));
        QuantizedWeights first =
                QuantizedProductLowering.weights(weight, ProductScales.of(weight, DType.QUINT8, 0.1, 0.2));
        QuantizedWeights second =
                QuantizedProductLowering.weights(moved, ProductScales.of(moved, DType.QUINT8, 0.1, 0.2));
        assertEquals(0, first.zeroPoint(0));
        assertEquals(3, second.zeroPoint(0));
    }
}
