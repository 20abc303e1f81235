package org.torchnnapi.execution.tracing.lower;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.WeightsOrigin;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.DynamicLinearOp;
import org.torchnnapi.program.op.DynamicQuantizeOp;
import org.torchnnapi.program.op.DynamicRangeOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * Linear layers with quantized weights on float inputs, which become bytes by their own range: QNNPACK's, to the last
 * bit.
 */
final class DynamicLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("quantized::linear_dynamic", (lowered, node, a) -> linear(lowered, a, false));
        r.add("quantized::linear_relu_dynamic", (lowered, node, a) -> linear(lowered, a, true));
    }

    private static Tensor linear(Lowered lowered, Object[] a, boolean relu) {
        Tensor x = Support.floats(a, 0);
        LinearParams params = LinearParams.CLASS.unwrap(a, 1);
        Support.require(x.rank() >= 1 && x.size(-1) == params.weight().size(1), "rows as wide as the matrix");
        DynamicProduct product = product(params, relu);
        int rows = (int) (x.numel() / product.inputs());
        int runs = new DynamicRangeOp()
                .result(List.of(ValueType.floats(x.sizes())))
                .dimension(0);
        Tensor range = lowered.compute(new DynamicRangeOp(), Lowered.tensor(DType.FLOAT32, null, runs, 2), x);
        Tensor bytes = lowered.compute(
                new DynamicQuantizeOp(),
                Lowered.tensor(
                        DType.QUINT8,
                        new Quantization.PerTensor(1, 0),
                        rows,
                        DynamicProduct.rowBytes(product.inputs())),
                x,
                range);
        Tensor out = lowered.compute(
                new DynamicLinearOp(product),
                Lowered.tensor(DType.FLOAT32, null, rows, product.outputs()),
                bytes,
                range);
        int[] sizes = x.sizes().clone();
        sizes[sizes.length - 1] = product.outputs();
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), out);
    }

    private record Known(WeightsOrigin weight, Quantization quantization, WeightsOrigin bias, boolean relu) {}

    private static final Map<Known, WeakReference<DynamicProduct>> KNOWN = new HashMap<>();

    /** A product hangs on no shape: that of one memory is the same object as long as a plan has it. */
    static DynamicProduct product(LinearParams params, boolean relu) {
        Known key = new Known(
                TensorWeights.origin(params.weight()),
                params.weight().quantization(),
                params.bias() == null ? null : TensorWeights.origin(params.bias()),
                relu);
        synchronized (KNOWN) {
            WeakReference<DynamicProduct> known = KNOWN.get(key);
            DynamicProduct product = known == null ? null : known.get();
            if (product != null) {
                return product;
            }
        }
        // Packed outside the lock; of two threads that do, both plans are right.
        DynamicProduct made = made(params, relu);
        synchronized (KNOWN) {
            KNOWN.values().removeIf(other -> other.get() == null);
            KNOWN.put(key, new WeakReference<>(made));
        }
        return made;
    }

    private static DynamicProduct made(LinearParams params, boolean relu) {
        Tensor weight = params.weight();
        Support.require(weight.dtype() == DType.QINT8, "weights of signed bytes");
        double[] scales;
        int[] zeroPoints;
        if (weight.quantization() instanceof Quantization.PerChannel q) {
            Support.require(q.axis() == 0, "a scale for each output");
            scales = q.scales();
            zeroPoints = Arrays.stream(q.zeroPoints())
                    .mapToInt(zeroPoint -> (int) zeroPoint)
                    .toArray();
        } else {
            Quantization.PerTensor q = QuantizedMath.perTensor(weight);
            scales = new double[] {q.scale()};
            zeroPoints = new int[] {q.zeroPoint()};
        }
        Tensor dense = Support.unretained(weight).contiguous();
        byte[] bytes =
                Arrays.copyOfRange(dense.storage().byteArray(), dense.offset(), dense.offset() + (int) dense.numel());
        float[] rounded = new float[scales.length];
        for (int i = 0; i < rounded.length; i++) {
            rounded[i] = (float) scales[i];
        }
        return DynamicProduct.plan(
                weight.size(1),
                weight.size(0),
                new QuantizedWeights(bytes, true, zeroPoints),
                rounded,
                params.bias() == null ? null : params.bias().toFloatArray(),
                relu);
    }
}
