package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;

/** Making tensors and taking numbers out of them. */
public final class Tensors {
    /** Virtual machines give arrays of a few elements less than 2^31. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;
    /** What every heap has room for. */
    private static final int LARGE = 1 << 24;

    private Tensors() {}

    /**
     * Zero-filled storage.
     *
     * @throws MemoryException if it does not fit into this JVM's heap
     */
    public static Storage allocate(DType type, long elements) {
        if (elements > LONGEST_ARRAY || elements > LARGE && elements * type.bytes() > available()) {
            throw new MemoryException("tensor of " + elements + " elements of " + type.torchName(), null);
        }
        return Storage.allocate(type, elements);
    }

    private static long available() {
        Runtime runtime = Runtime.getRuntime();
        // What is used may be garbage, so only the maximum counts.
        return runtime.maxMemory();
    }

    /** Zero-filled, row-major. */
    public static Tensor empty(DType type, int... sizes) {
        return empty(type, MemoryFormat.CONTIGUOUS, sizes);
    }

    /** Zero-filled, dense in a memory format. */
    public static Tensor empty(DType type, MemoryFormat format, int... sizes) {
        return strided(type, sizes, Shape.strides(format, sizes), null);
    }

    /** Zero-filled with dense strides. */
    public static Tensor strided(DType type, int[] sizes, int[] strides, Quantization quantization) {
        // Strides may leave gaps.
        long reach = Shape.numel(sizes);
        long last = 0;
        for (int d = 0; d < sizes.length; d++) {
            last += (sizes[d] - 1L) * strides[d];
        }
        reach = reach == 0 ? 0 : Math.max(reach, last + 1);
        return new Tensor(allocate(type, reach), 0, sizes, strides, quantization);
    }

    /** Zero-filled with the order of dimensions of another tensor of the same sizes. */
    public static Tensor like(Tensor other, DType type) {
        return strided(type, other.sizes(), MemoryOrder.resultStrides(other.sizes(), other), null);
    }

    /** The elements of a result in the order of dimensions that an element-wise operator on those operands gives. */
    public static Tensor ordered(Tensor result, Tensor... operands) {
        int[] strides = MemoryOrder.resultStrides(result.sizes(), operands);
        if (Arrays.equals(strides, result.strides())) {
            return result;
        }
        Tensor out = strided(result.dtype(), result.sizes(), strides, result.quantization());
        out.copyFrom(result);
        return out;
    }

    /**
     * Number of elements of a shape that an operator computes, of which it keeps each as a double meanwhile.
     *
     * @throws IllegalArgumentException if a dimension is negative
     * @throws MemoryException if an array of so many does not fit into this JVM's heap
     */
    public static int count(int... sizes) {
        long count = Shape.numel(sizes);
        if (count > LONGEST_ARRAY || count > LARGE && count > available() / Double.BYTES) {
            throw new MemoryException(
                    "shape: " + Arrays.toString(sizes) + ", " + count + " elements kept as doubles", null);
        }
        return (int) count;
    }

    /**
     * To be asked before an operator makes what it keeps beside elements, such as positions and weights.
     *
     * @param what it is, for the message
     * @throws MemoryException if this JVM's heap could not hold it were it empty
     */
    public static void requireRoom(String what, long bytes) {
        if (bytes > LARGE && bytes > available()) {
            throw new MemoryException(what + ", " + bytes + " bytes", null);
        }
    }

    /** A zero-dimensional tensor of a number's own type: int64, float64, bool or complex128. */
    public static Tensor ofNumber(Object number) {
        if (number instanceof Double d) {
            return Tensor.of(DType.FLOAT64, new double[] {d});
        }
        if (number instanceof Boolean b) {
            return Tensor.of(DType.BOOL, new byte[] {(byte) (b ? 1 : 0)});
        }
        if (number instanceof Complex c) {
            return Tensor.of(DType.COMPLEX128, new double[] {c.real(), c.imaginary()});
        }
        if (number instanceof Long l) {
            return Tensor.of(new long[] {l});
        }
        throw new IllegalArgumentException("number: " + number + " (expected: int, float, bool or complex)");
    }

    /** An operand, tensor or number, as a tensor of {@code type}. */
    public static Tensor operand(Object operand, DType type) {
        return Elements.cast(operand instanceof Tensor t ? t : ofNumber(operand), type);
    }

    /**
     * A number that is to be one of a type. Below 0 it begins anew from the largest, of whole numbers without sign.
     *
     * @throws IllegalArgumentException if a type of whole numbers does not have it
     */
    public static Object fitting(Object number, DType type) {
        if (type.kind() != DType.Kind.INTEGER || !(number instanceof Long || number instanceof Double)) {
            return number;
        }
        double half = Math.scalb(1.0, Byte.SIZE * type.bytes() - 1);
        double value = ((Number) number).doubleValue();
        boolean wraps = type == DType.UINT8 && number instanceof Long;
        double most = type == DType.UINT8 ? 2 * half - 1 : half - 1;
        double least = wraps ? -most : type == DType.UINT8 ? 0 : -half;
        if (!(least <= value && value <= most)) {
            throw new IllegalArgumentException(
                    "value cannot be converted to type " + type.torchName() + "_t without overflow: " + number);
        }
        return number;
    }

    /** The only element as a runtime value. */
    public static Object item(Tensor t) {
        if (t.numel() != 1) {
            throw new IllegalArgumentException(
                    "a Tensor with " + t.numel() + " elements cannot be converted to Scalar");
        }
        return t.dtype().isQuantized() ? QuantizedMath.dequantize(t).getDouble(0) : element(t, 0);
    }

    /**
     * An element as TorchScript's number of its kind: Boolean, Long, Double or {@link Complex}; a quantized one as its
     * integer.
     */
    public static Object element(Tensor t, long rowMajorIndex) {
        DType type = t.dtype();
        if (type.isComplex()) {
            int at = 2 * t.position(rowMajorIndex);
            Elements.DoubleReader parts =
                    Elements.doubleReader(type.part(), t.storage().array());
            return new Complex(parts.get(at), parts.get(at + 1));
        }
        if (type == DType.BOOL) {
            return t.getLong(rowMajorIndex) != 0;
        }
        return type.isFloating() ? (Object) t.getDouble(rowMajorIndex) : (Object) t.getLong(rowMajorIndex);
    }

    /**
     * Writes {@code source}, broadcast and converted, into {@code target}, which may be any view.
     *
     * @throws IllegalArgumentException if the shapes do not broadcast
     */
    public static Tensor copyInto(Tensor target, Tensor source) {
        Tensor from = source;
        if (target.dtype().isQuantized()) {
            from = source.dtype().isQuantized()
                    ? source
                    : QuantizedMath.quantize(source, target.quantization(), target.dtype());
        } else if (source.dtype().isQuantized()) {
            from = QuantizedMath.dequantize(source);
        }
        from = Elements.cast(from, target.dtype());
        if (!Arrays.equals(from.sizes(), target.sizes())) {
            from = BroadcastShapes.expand(from, target.sizes());
        }
        if (from.storage() == target.storage()) {
            from = from.copy(MemoryFormat.CONTIGUOUS);
        }
        target.copyFrom(from);
        return target;
    }

    /**
     * Finishes an in-place operator: converts a result to the target's type and writes it.
     *
     * @throws IllegalArgumentException if the result has another shape or a kind that does not fit
     */
    public static Tensor inPlace(Tensor target, Tensor result) {
        if (!Arrays.equals(target.sizes(), result.sizes())) {
            throw new IllegalArgumentException("output with shape " + Arrays.toString(target.sizes())
                    + " doesn't match the broadcast shape " + Arrays.toString(result.sizes()));
        }
        requireCast(result.dtype(), target.dtype());
        return copyInto(target, result);
    }

    /** @throws IllegalArgumentException if a result of one type may not be written where another is */
    public static void requireCast(DType from, DType to) {
        if (!Promotion.canCast(from, to)) {
            throw new IllegalArgumentException("result type " + Promotion.scalarType(from)
                    + " can't be cast to the desired output type " + Promotion.scalarType(to));
        }
    }
}
