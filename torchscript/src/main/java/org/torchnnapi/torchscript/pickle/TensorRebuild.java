package org.torchnnapi.torchscript.pickle;

import static org.torchnnapi.torchscript.pickle.KnownGlobals.argument;

import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Makes tensors of the arguments of PyTorch's {@code _rebuild_tensor_v2} and {@code _rebuild_qtensor}
 * (torch/_utils.py).
 */
final class TensorRebuild {
    /** Elements that a view with zero strides may have for each element of its storage, beyond a free allowance. */
    private static final long MAX_EXPANSION = 4096;

    private static final long FREE_EXPANSION = 1 << 24;

    private TensorRebuild() {}

    /** {@code (storage, offset, sizes, strides, requires_grad, hooks)}. */
    static Tensor plain(List<Object> arguments) {
        Storage storage = argument(arguments, 0, Storage.class, "a storage");
        if (storage.dtype().isQuantized()) {
            throw new IllegalArgumentException(
                    "storage: " + storage.dtype().torchName() + " (expected: not quantized)");
        }
        return build(arguments, storage, null)
                .requiresGrad(Boolean.TRUE.equals(arguments.size() > 4 ? arguments.get(4) : null));
    }

    /** {@code (storage, offset, sizes, strides, quantizer, requires_grad, hooks)}. */
    static Tensor quantized(List<Object> arguments) {
        Storage storage = argument(arguments, 0, Storage.class, "a storage");
        if (!storage.dtype().isQuantized()) {
            throw new IllegalArgumentException(
                    "storage: " + storage.dtype().torchName() + " (expected: a quantized type)");
        }
        List<Object> quantizer = argument(arguments, 4, ScriptTuple.class, "quantization parameters")
                .items();
        return build(arguments, storage, quantization(quantizer));
    }

    private static Tensor build(List<Object> arguments, Storage storage, Quantization quantization) {
        int offset = Shape.toInts(argument(arguments, 1, Long.class, "an offset"))[0];
        int[] sizes = ints(argument(arguments, 2, ScriptTuple.class, "sizes"));
        int[] strides = ints(argument(arguments, 3, ScriptTuple.class, "strides"));
        if (Shape.numel(sizes) > Math.max(FREE_EXPANSION, MAX_EXPANSION * storage.length())) {
            throw new IllegalArgumentException("tensor: " + Shape.numel(sizes) + " elements over a storage of "
                    + storage.length() + " (expected: at most " + MAX_EXPANSION + " times as many)");
        }
        Storage elements =
                storage.dtype() == DType.QUINT4X2 ? NibbleStorage.unpack(storage, offset, sizes, strides) : storage;
        return new Tensor(elements, offset, sizes, strides, quantization);
    }

    private static Quantization quantization(List<Object> quantizer) {
        Object scheme = quantizer.isEmpty() ? null : quantizer.get(0);
        if (KnownGlobals.isPerTensor(scheme)) {
            long zeroPoint = argument(quantizer, 2, Long.class, "a zero point");
            return new Quantization.PerTensor(
                    argument(quantizer, 1, Double.class, "a scale"), Shape.toInts(zeroPoint)[0]);
        }
        if (KnownGlobals.isPerChannel(scheme)) {
            double[] scales = doubles(argument(quantizer, 1, Tensor.class, "a tensor of scales"));
            double[] zeroPoints = doubles(argument(quantizer, 2, Tensor.class, "a tensor of zero points"));
            int axis = Shape.toInts(argument(quantizer, 3, Long.class, "an axis"))[0];
            return new Quantization.PerChannel(scales, zeroPoints, axis, KnownGlobals.isPerChannelFloat(scheme));
        }
        throw new IllegalArgumentException("quantization scheme: " + scheme
                + " (expected: per_tensor_affine, per_channel_affine or " + "per_channel_affine_float_qparams)");
    }

    private static int[] ints(ScriptTuple tuple) {
        long[] values = new long[tuple.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = argument(tuple.items(), i, Long.class, "an int");
        }
        return Shape.toInts(values);
    }

    private static double[] doubles(Tensor tensor) {
        if (tensor.numel() > FREE_EXPANSION) {
            throw new IllegalArgumentException(
                    "quantization parameters: " + tensor.numel() + " (expected: one per channel)");
        }
        double[] out = new double[(int) tensor.numel()];
        for (int i = 0; i < out.length; i++) {
            out[i] = tensor.getDouble(i);
        }
        return out;
    }
}
