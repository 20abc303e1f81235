package org.torchnnapi.tensor;

import java.util.Arrays;
import java.util.Objects;

/**
 * A strided view of a {@link Storage}, as in PyTorch: sizes, strides and offset count elements. Views share memory, and
 * the identity of a tensor object matters (tied weights are one object).
 *
 * <p>Element access by index is for plain code; fast code takes {@link #storage()}, {@link #offset()} and
 * {@link #strides()}.
 */
public final class Tensor {
    /** Fewer elements than this are copied rather than arranged anew each time. */
    private static final int SMALL = 1024;

    private Storage storage;
    private int offset;
    private int[] sizes;
    private int[] strides;
    private Quantization quantization;
    private boolean requiresGrad;

    /**
     * @param quantization null unless the storage's type is quantized
     * @throws IllegalArgumentException if an element would lie outside the storage
     */
    public Tensor(Storage storage, int offset, int[] sizes, int[] strides, Quantization quantization) {
        this.storage = Objects.requireNonNull(storage, "storage");
        this.offset = offset;
        this.sizes = sizes.clone();
        this.strides = strides.clone();
        this.quantization = quantization;
        checkBounds();
    }

    /** Zero-filled, row-major. */
    public static Tensor zeros(DType dtype, int... sizes) {
        return empty(dtype, MemoryFormat.CONTIGUOUS, sizes);
    }

    /** Zero-filled with the dense strides of a memory format. */
    public static Tensor empty(DType dtype, MemoryFormat format, int... sizes) {
        return new Tensor(Storage.allocate(dtype, Shape.numel(sizes)), 0, sizes, Shape.strides(format, sizes), null);
    }

    /** Row-major over the given array, which is not copied; see {@link Storage} for the array type. */
    public static Tensor of(DType dtype, Object array, int... sizes) {
        return new Tensor(Storage.of(dtype, array), 0, sizes, Shape.contiguousStrides(sizes), null);
    }

    /** Row-major float32 over the array, which is not copied. */
    public static Tensor of(float[] values, int... sizes) {
        return of(DType.FLOAT32, values, sizes);
    }

    /** Row-major int64 over the array, which is not copied. */
    public static Tensor of(long[] values, int... sizes) {
        return of(DType.INT64, values, sizes);
    }

    /** Row-major int32 over the array, which is not copied. */
    public static Tensor of(int[] values, int... sizes) {
        return of(DType.INT32, values, sizes);
    }

    /** The type of the elements. */
    public DType dtype() {
        return storage.dtype();
    }

    /** The memory that the elements lie in; views share it, and writing to it is seen by all of them. */
    public Storage storage() {
        return storage;
    }

    /** Where in the storage the first element is, in elements. */
    public int offset() {
        return offset;
    }

    /** The sizes, not copied: callers must not write to them. */
    public int[] sizes() {
        return sizes;
    }

    /** The strides in elements, not copied: callers must not write to them. */
    public int[] strides() {
        return strides;
    }

    /**
     * The extent of a dimension.
     *
     * @param dim negative counts from the back
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public int size(long dim) {
        if (sizes.length == 0) {
            throw new IndexOutOfBoundsException("Dimension specified as " + dim + " but tensor has no dimensions");
        }
        return sizes[Shape.wrap(dim, sizes.length)];
    }

    /** Number of dimensions; 0 for a single element. */
    public int rank() {
        return sizes.length;
    }

    /** Number of elements, the product of the sizes; 1 without dimensions. */
    public long numel() {
        return Shape.numel(sizes);
    }

    /** Null for tensors that are not quantized. */
    public Quantization quantization() {
        return quantization;
    }

    /** The flag of that name in the file; nothing here computes gradients. */
    public boolean requiresGrad() {
        return requiresGrad;
    }

    /** Sets the flag that files carry, on this tensor itself, which is returned. */
    public Tensor requiresGrad(boolean value) {
        requiresGrad = value;
        return this;
    }

    /** Whether the elements lie row-major without gaps. */
    public boolean isContiguous() {
        return Shape.isContiguous(sizes, strides, MemoryFormat.CONTIGUOUS);
    }

    /** Whether the elements lie without gaps in the order of a memory format. */
    public boolean isContiguous(MemoryFormat format) {
        return Shape.isContiguous(sizes, strides, format);
    }

    /**
     * A view with other geometry on the same storage and quantization.
     *
     * @throws IllegalArgumentException if an element would lie outside the storage
     */
    public Tensor asStrided(int[] newSizes, int[] newStrides, int newOffset) {
        return new Tensor(storage, newOffset, newSizes, newStrides, quantization);
    }

    /** The same view with other quantization parameters. */
    public Tensor withQuantization(Quantization q) {
        return new Tensor(storage, offset, sizes, strides, q);
    }

    /**
     * A view whose dimension i is this one's {@code order[i]}.
     *
     * @param order negative numbers count from the back
     * @throws IllegalArgumentException unless it names each dimension once
     */
    public Tensor permute(int... order) {
        if (order.length != sizes.length) {
            throw new IllegalArgumentException(
                    "permutation: " + Arrays.toString(order) + " (expected: " + sizes.length + " dimensions)");
        }
        int[] s = new int[order.length];
        int[] t = new int[order.length];
        boolean[] seen = new boolean[order.length];
        for (int i = 0; i < order.length; i++) {
            int d = Shape.wrap(order[i], sizes.length);
            if (seen[d]) {
                throw new IllegalArgumentException(
                        "permutation: " + Arrays.toString(order) + " (expected: each dimension once)");
            }
            seen[d] = true;
            s[i] = sizes[d];
            t[i] = strides[d];
        }
        return asStrided(s, t, offset);
    }

    /** Itself if already dense in that format, otherwise a copy. */
    public Tensor contiguous(MemoryFormat format) {
        return isContiguous(format) ? this : copy(format);
    }

    /** Itself if row-major and dense, otherwise a copy. */
    public Tensor contiguous() {
        return contiguous(MemoryFormat.CONTIGUOUS);
    }

    /**
     * Itself if row-major and dense, otherwise a tensor of the same elements that has them {@linkplain Storage#deferred
     * arranged whenever they are asked for}; a copy if it is small.
     *
     * @throws IllegalStateException from what asks for elements, once those of this tensor were written to
     */
    public Tensor arranged() {
        if (isContiguous()) {
            return this;
        }
        if (numel() < SMALL) {
            return copy(MemoryFormat.CONTIGUOUS);
        }
        // This object may become another view.
        Tensor view = new Tensor(storage, offset, sizes, strides, quantization);
        int known = storage.writes();
        Storage arranged = Storage.reordered(storage, numel(), view::place, () -> {
            if (view.storage.writes() != known) {
                throw new IllegalStateException(
                        "weights: written to since others were arranged from them (expected: unchanged ones)");
            }
            return StridedCopy.bytes(view);
        });
        return new Tensor(arranged, 0, sizes, Shape.contiguousStrides(sizes), quantization);
    }

    /** Where in the storage an element lies, by its number in row-major order. */
    public int place(long element) {
        int place = offset;
        long rest = element;
        for (int d = sizes.length - 1; d >= 0; d--) {
            place += (int) (rest % sizes[d]) * strides[d];
            rest /= sizes[d];
        }
        return place;
    }

    /** A dense copy in the given format. */
    public Tensor copy(MemoryFormat format) {
        Tensor out =
                new Tensor(Storage.allocate(dtype(), numel()), 0, sizes, Shape.strides(format, sizes), quantization);
        StridedCopy.copy(this, out);
        return out;
    }

    /**
     * Copies all elements of {@code source}, which must have this tensor's type and sizes.
     *
     * @throws IllegalArgumentException if type or sizes differ
     * @throws java.util.concurrent.CancellationException if elements of this tensor lie at the same place, and the
     *     thread is interrupted meanwhile
     */
    public void copyFrom(Tensor source) {
        if (source.dtype() != dtype() || !Arrays.equals(source.sizes, sizes)) {
            throw new IllegalArgumentException("source: " + source + " (expected: " + this + ")");
        }
        try {
            StridedCopy.copy(source, this);
        } finally {
            storage.written();
        }
    }

    /** Makes this object a view of what {@code other} views; for operators that change a tensor's shape in place. */
    public void become(Tensor other) {
        storage = other.storage;
        offset = other.offset;
        sizes = other.sizes;
        strides = other.strides;
        quantization = other.quantization;
    }

    /** Position in the storage of the element with the given row-major index. */
    public int position(long rowMajorIndex) {
        int at = offset;
        long rest = rowMajorIndex;
        for (int d = sizes.length - 1; d >= 0; d--) {
            at += (int) (rest % sizes[d]) * strides[d];
            rest /= sizes[d];
        }
        return at;
    }

    /** Element as a double: the integer for quantized tensors, the real part for complex ones, 0 or 1 for bool. */
    public double getDouble(long rowMajorIndex) {
        int at = position(rowMajorIndex);
        return switch (dtype()) {
            case FLOAT32 -> storage.floatArray()[at];
            case FLOAT64 -> storage.doubleArray()[at];
            case FLOAT16 -> Half.toFloat(storage.shortArray()[at]);
            case BFLOAT16 -> Half.bfloatToFloat(storage.shortArray()[at]);
            case COMPLEX32 -> Half.toFloat(storage.shortArray()[2 * at]);
            case COMPLEX64 -> storage.floatArray()[2 * at];
            case COMPLEX128 -> storage.doubleArray()[2 * at];
            default -> integerAt(at);
        };
    }

    /** Element as a long: integers exactly, floating types truncated toward zero. */
    public long getLong(long rowMajorIndex) {
        return switch (dtype()) {
            case FLOAT32, FLOAT64, FLOAT16, BFLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
                (long) getDouble(rowMajorIndex);
            default -> integerAt(position(rowMajorIndex));
        };
    }

    private long integerAt(int at) {
        return switch (dtype()) {
            case UINT8, QUINT8, QUINT4X2 -> storage.byteArray()[at] & 0xFF;
            case INT8, QINT8, BOOL -> storage.byteArray()[at];
            case INT16 -> storage.shortArray()[at];
            case INT32, QINT32 -> storage.intArray()[at];
            case INT64 -> storage.longArray()[at];
            default -> throw new IllegalStateException("dtype: " + dtype() + " (expected: an integer type)");
        };
    }

    /**
     * Elements in row-major order as floats: {@link #getDouble} of each; the array is the storage's own when it can be.
     */
    public float[] toFloatArray() {
        if (dtype() == DType.FLOAT32 && isContiguous() && offset == 0 && numel() == storage.length()) {
            return storage.floatArray();
        }
        float[] out = new float[Math.toIntExact(numel())];
        if (dtype() == DType.FLOAT32) {
            StridedCopy.copy(this, of(out, sizes));
        } else {
            for (int i = 0; i < out.length; i++) {
                out[i] = (float) getDouble(i);
            }
        }
        return out;
    }

    /** Elements in row-major order as longs; a copy. */
    public long[] toLongArray() {
        long[] out = new long[Math.toIntExact(numel())];
        for (int i = 0; i < out.length; i++) {
            out[i] = getLong(i);
        }
        return out;
    }

    @Override
    public String toString() {
        return "Tensor(" + Arrays.toString(sizes) + ", dtype=torch." + dtype().torchName() + ")";
    }

    private void checkBounds() {
        if (strides.length != sizes.length) {
            throw new IllegalArgumentException("strides: " + Arrays.toString(strides)
                    + " (expected: one per dimension of " + Arrays.toString(sizes) + ")");
        }
        long last = offset;
        for (int d = 0; d < sizes.length; d++) {
            if (strides[d] < 0) {
                throw new IllegalArgumentException("strides: " + Arrays.toString(strides) + " (expected: >= 0)");
            }
            last += (long) strides[d] * Math.max(sizes[d] - 1, 0);
        }
        long count = Shape.numel(sizes);
        if (offset < 0 || count > 0 && last >= storage.length()) {
            throw new IllegalArgumentException(
                    "tensor " + Arrays.toString(sizes) + " strides " + Arrays.toString(strides)
                            + " offset " + offset + " reaches element " + last + " (expected: inside its storage of "
                            + storage.length() + ")");
        }
    }
}
