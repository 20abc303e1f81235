package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Linear layers with quantized weights, on quantized inputs and (dynamic) on float inputs. */
public final class QuantizedLinears implements OperatorFamily {
    private static final long LEAST = 0;
    private static final long GREATEST = 255;
    private static final double GREATEST_HALF = 65504;

    @Override
    public void register(Registrar r) {
        String packed = LinearParams.CLASS.qualifiedName();
        r.op(
                "quantized::linear_prepack(Tensor W, Tensor? B=None) -> " + packed,
                a -> LinearParams.CLASS.wrap(new LinearParams(tensor(a, 0), tensorOrNull(a, 1))));
        r.op("quantized::linear_unpack(" + packed + " W_prepack) -> (Tensor W_origin, Tensor? B_origin)", a -> {
            LinearParams params = LinearParams.CLASS.unwrap(a, 0);
            return new Object[] {params.weight(), params.bias()};
        });
        String arguments = "(Tensor X, " + packed + " W_prepack, float Y_scale_i, int Y_zero_point_i) -> Tensor Y";
        r.op("quantized::linear" + arguments, a -> run(a, false));
        r.op("quantized::linear_relu" + arguments, a -> run(a, true));
        String dynamic = "(Tensor X, " + packed + " W_prepack, bool reduce_range=False) -> Tensor Y";
        r.op(
                "quantized::linear_dynamic" + dynamic,
                a -> dynamic(tensor(a, 0), LinearParams.CLASS.unwrap(a, 1), flag(a, 2), false));
        r.op(
                "quantized::linear_relu_dynamic" + dynamic,
                a -> dynamic(tensor(a, 0), LinearParams.CLASS.unwrap(a, 1), flag(a, 2), true));
        r.op(
                "quantized::linear_prepack_fp16(Tensor W, Tensor? B=None) -> " + packed,
                a -> LinearParams.CLASS.wrap(new LinearParams(saturated(tensor(a, 0)), tensorOrNull(a, 1))));
        r.op("quantized::linear_unpack_fp16(" + packed + " W_prepack) -> (Tensor W_origin, Tensor? B_origin)", a -> {
            LinearParams params = LinearParams.CLASS.unwrap(a, 0);
            return new Object[] {params.weight(), params.bias()};
        });
        String half = "(Tensor X, " + packed + " W_prepack) -> Tensor Y";
        r.op(
                "quantized::linear_dynamic_fp16" + half,
                a -> dynamic(tensor(a, 0), LinearParams.CLASS.unwrap(a, 1), false, false));
        r.op(
                "quantized::linear_relu_dynamic_fp16" + half,
                a -> dynamic(tensor(a, 0), LinearParams.CLASS.unwrap(a, 1), false, true));
        r.op(
                "aten::_saturate_weight_to_fp16(Tensor weight) -> Tensor",
                a -> Elements.cast(saturated(tensor(a, 0)), DType.FLOAT32));
    }

    /** In half precision, what lies beyond it as its greatest number. */
    private static Tensor saturated(Tensor weight) {
        return Elements.cast(
                Pointwise.unary(weight, w -> Math.max(-GREATEST_HALF, Math.min(w, GREATEST_HALF))), DType.FLOAT16);
    }

    private static Tensor run(Object[] a, boolean relu) {
        LinearParams params = LinearParams.CLASS.unwrap(a, 1);
        return QuantizedProducts.multiply(tensor(a, 0), params.weight(), params.bias(), real(a, 2), int32(a, 3), relu);
    }

    /**
     * Quantizes the input by its own range, multiplies integers, and gives real numbers. Weights of half precision are
     * multiplied as they are.
     *
     * @param reduceRange ignored, as QNNPACK does: it needs no spare bit
     */
    static Tensor dynamic(Tensor input, LinearParams params, boolean reduceRange, boolean relu) {
        Tensor weight = params.weight();
        if (weight.dtype() == DType.FLOAT16) {
            Tensor product = MatrixProducts.linear(input, Elements.cast(weight, DType.FLOAT32), params.bias());
            return relu ? Pointwise.unary(product, ActivationOperators::relu) : product;
        }
        int width = weight.size(1);
        int rows = QuantizedProducts.rows(input, width);
        Quantization.PerTensor q = DynamicRange.choose(input, LEAST, GREATEST);
        int[] x = QuantizedMath.ints(QuantizedMath.quantize(input, q, DType.QUINT8));
        int[] w = QuantizedMath.ints(weight);
        ProductScales scales = ProductScales.of(weight, DType.QUINT8, q.scale(), 1);
        int outputs = weight.size(0);
        float[] bias =
                params.bias() == null ? new float[outputs] : params.bias().toFloatArray();
        int[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = outputs;
        Tensor out = Tensors.empty(DType.FLOAT32, sizes);
        float[] y = out.storage().floatArray();
        for (int i = 0; i < rows; i++) {
            for (int o = 0; o < outputs; o++) {
                int zeroPoint = scales.zeroPoints()[scales.zeroPoints().length == 1 ? 0 : o];
                int sum = 0;
                for (int k = 0; k < width; k++) {
                    sum += (x[i * width + k] - q.zeroPoint()) * (w[o * width + k] - zeroPoint);
                }
                float value = sum * scales.products()[scales.products().length == 1 ? 0 : o] + bias[o];
                y[i * outputs + o] = relu ? Math.max(value, 0) : value;
            }
        }
        return out;
    }
}
