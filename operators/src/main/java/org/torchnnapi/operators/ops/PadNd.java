package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Padding. Amounts come in pairs (begin, end) from the last dimension backwards; negative ones crop. */
public final class PadNd implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
                a -> constant(tensor(a, 0), ints(a, 1), scalar(a, 2)));
        r.op("aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor", a -> {
            String mode = text(a, 2);
            Double value = realOrNull(a, 3);
            return mode.equals("constant")
                    ? constant(tensor(a, 0), ints(a, 1), value == null ? (Object) 0L : value)
                    : mapped(tensor(a, 0), ints(a, 1), mode);
        });
        for (int d = 1; d <= 3; d++) {
            String end = d + "d(Tensor self, int[" + 2 * d + "] padding) -> Tensor";
            int count = 2 * d;
            r.op("aten::reflection_pad" + end, a -> mapped(tensor(a, 0), sides(a, count), "reflect"));
            r.op("aten::replication_pad" + end, a -> mapped(tensor(a, 0), sides(a, count), "replicate"));
        }
    }

    /** Signals {@code [length]} or {@code [batch, length]}, as long on both sides. */
    static Tensor around(Tensor signal, int padding, String mode) {
        int[] both = {padding, padding};
        if (mode.equals("constant")) {
            return constant(signal, both, 0L);
        }
        // Modes other than constant take no tensor without channels.
        Tensor channels = signal;
        while (channels.rank() < 3) {
            channels = TensorViews.unsqueeze(channels, 0);
        }
        Tensor padded = mapped(channels, both, mode);
        return TensorViews.reshape(
                padded,
                Arrays.stream(padded.sizes()).skip(3 - (long) signal.rank()).toArray());
    }

    private static int[] sides(Object[] a, int count) {
        int[] padding = ints(a, 1);
        if (padding.length != count) {
            throw new IllegalArgumentException(
                    "padding size is expected to be " + count + ", but got: " + padding.length);
        }
        return padding;
    }

    static Tensor constant(Tensor t, int[] padding, Object value) {
        if (padding.length % 2 != 0 || padding.length > 2 * t.rank()) {
            throw new IllegalArgumentException("pad: " + Arrays.toString(padding)
                    + " (expected: an even number of values, at most " + 2 * t.rank() + ")");
        }
        int[] sizes = t.sizes().clone();
        Tensor inner = t;
        for (int i = 0; i < padding.length / 2; i++) {
            int d = t.rank() - 1 - i;
            long size = padded(sizes[d], padding[2 * i], padding[2 * i + 1]);
            if (size < 0) {
                throw new IllegalArgumentException(
                        "The input size " + sizes[d] + ", plus negative padding " + padding[2 * i] + " and "
                                + padding[2 * i + 1] + " resulted in a negative output size, which is invalid.");
            }
            sizes[d] = (int) size;
            long from = Math.max(-(long) padding[2 * i], 0);
            long to = t.sizes()[d] - Math.max(-(long) padding[2 * i + 1], 0);
            inner = TensorViews.narrow(inner, d, from, to - from);
        }
        MemoryFormat format = MemoryOrder.suggested(t);
        Tensor out = Tensors.strided(t.dtype(), sizes, Shape.strides(format, sizes), t.quantization());
        boolean zero = value instanceof Number number && number.doubleValue() == 0;
        if (!zero || t.dtype().isQuantized()) {
            Tensors.copyInto(out, Tensors.ofNumber(Tensors.fitting(value, t.dtype())));
        }
        Tensor hole = out;
        for (int i = 0; i < padding.length / 2; i++) {
            int d = t.rank() - 1 - i;
            hole = TensorViews.narrow(hole, d, Math.min(Math.max(padding[2 * i], 0), sizes[d]), inner.sizes()[d]);
        }
        hole.copyFrom(inner);
        return out;
    }

    /** A dimension's size with its padding, which may be negative. */
    private static long padded(int size, int before, int after) {
        long padded = (long) size + before + after;
        if (padded > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("padded size: " + padded + ", which is " + size + " with padding "
                    + before + " and " + after + " (expected: <= " + Integer.MAX_VALUE + ")");
        }
        return padded;
    }

    /**
     * Padding by elements of the tensor: {@code reflect}, {@code replicate} or {@code circular}, which goes around what
     * negative padding leaves.
     */
    private static Tensor mapped(Tensor t, int[] padding, String mode) {
        if (padding.length % 2 != 0 || padding.length > 2 * t.rank()) {
            throw new IllegalArgumentException("pad: " + Arrays.toString(padding)
                    + " (expected: an even number of values, at most " + 2 * t.rank() + ")");
        }
        for (int d = t.rank() - padding.length / 2 > 1 ? 1 : 0; d < t.rank(); d++) {
            if (t.size(d) == 0 && !mode.equals("circular")) {
                throw new IllegalArgumentException("pad: an input of " + Arrays.toString(t.sizes())
                        + " (expected: sizes of 1 or more, but for the batch's)");
            }
        }
        Tensor out = t;
        for (int i = 0; i < padding.length / 2; i++) {
            int d = t.rank() - 1 - i;
            out = along(out, d, padding[2 * i], padding[2 * i + 1], mode);
        }
        return t.dtype().isQuantized() ? out.withQuantization(QuantizedMath.perTensor(t)) : out;
    }

    private static Tensor along(Tensor t, int d, int before, int after, String mode) {
        if (mode.equals("circular") && (before < 0 || after < 0)) {
            int start = Math.max(-before, 0);
            Tensor cut = TensorViews.narrow(t, d, start, t.sizes()[d] - start - Math.max(-after, 0));
            return along(cut, d, Math.max(before, 0), Math.max(after, 0), mode);
        }
        int size = t.sizes()[d];
        long padded = padded(size, before, after);
        int limit = mode.equals("reflect") ? size - 1 : mode.equals("circular") ? size : Integer.MAX_VALUE;
        if (before > limit || after > limit || padded < 1 || size == 0) {
            throw new IllegalArgumentException(
                    "Padding size should be less than the corresponding input dimension, but got: padding (" + before
                            + ", " + after + ") at dimension " + d + " of input " + Arrays.toString(t.sizes()));
        }
        int[] sizes = t.sizes().clone();
        sizes[d] = (int) padded;
        Tensor out = Tensors.strided(t.dtype(), sizes, Shape.contiguousStrides(sizes), t.quantization());
        for (int i = 0; i < padded; i++) {
            int from = i - before;
            int source = switch (mode) {
                case "reflect" -> from < 0 ? -from : from >= size ? 2 * (size - 1) - from : from;
                case "replicate" -> Math.max(0, Math.min(from, size - 1));
                case "circular" -> Math.floorMod(from, size);
                default -> throw new IllegalArgumentException("Unrecognised padding mode " + mode);
            };
            TensorViews.select(out, d, i).copyFrom(TensorViews.select(t, d, source));
        }
        return out;
    }
}
