package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.int32;
import static org.torchnnapi.torchscript.aten.support.Args.real;
import static org.torchnnapi.torchscript.aten.support.Args.tensor;
import static org.torchnnapi.torchscript.aten.support.Args.tensorOrNull;

import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.OperatorRegistry;
import org.torchnnapi.torchscript.aten.support.Pointwise;
import org.torchnnapi.torchscript.aten.support.Quantized;

/** Normalisations of quantized tensors: in real numbers, quantized with the output's parameters. */
public final class QuantizedNormalizations implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        for (String kind : new String[] {"batch_norm", "batch_norm1d", "batch_norm2d", "batch_norm3d"}) {
            for (boolean relu : new boolean[] {false, true}) {
                r.op("quantized::" + kind + (relu ? "_relu" : "") + "(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, "
                    + "float output_scale, int output_zero_point) -> Tensor", a -> quantized(a, 6, relu, call("aten::batch_norm",
                    values(tensor(a, 0)), tensorOrNull(a, 1), tensorOrNull(a, 2), tensor(a, 3), tensor(a, 4), false, 0.0, real(a, 5), false)));
            }
        }
        r.op("quantized::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, float output_scale, "
            + "int output_zero_point) -> Tensor", a -> quantized(a, 5, false, call("aten::layer_norm", values(tensor(a, 0)), a[1], a[2], a[3], real(a, 4), false)));
        r.op("quantized::group_norm(Tensor qx, int num_groups, Tensor? weight, Tensor? bias, float eps, float output_scale, "
            + "int output_zero_point) -> Tensor", a -> quantized(a, 5, false, call("aten::group_norm", values(tensor(a, 0)), a[1], a[2], a[3], real(a, 4), false)));
        r.op("quantized::instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor",
            a -> quantized(a, 4, false, call("aten::instance_norm", values(tensor(a, 0)), a[1], a[2], null, null, true, 0.0, real(a, 3), false)));
    }

    private static Tensor values(Tensor t) {
        return Quantized.dequantize(t);
    }

    private static Tensor call(String operator, Object... arguments) {
        return (Tensor) OperatorRegistry.standard().find(operator).kernel().call(arguments);
    }

    /** Scale and zero point of the output are arguments {@code at} and the next. */
    private static Tensor quantized(Object[] a, int at, boolean relu, Tensor normalised) {
        Tensor out = relu ? Pointwise.unary(normalised, x -> Math.max(x, 0)) : normalised;
        return Quantized.quantize(out, new Quantization.PerTensor(real(a, at), int32(a, at + 1)), tensor(a, 0).dtype());
    }
}
