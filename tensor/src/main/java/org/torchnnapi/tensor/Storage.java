package org.torchnnapi.tensor;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Memory of one or more tensors: a Java array of the element type, or little-endian bytes (of a mapped archive) that
 * become an array on first use, or a rule that makes the bytes.
 *
 * <p>Array types: {@code byte[]} for 1-byte types and bool (0 or 1), {@code short[]} for int16 and the bits of float16
 * and bfloat16, {@code int[]} for int32 and qint32, {@code long[]}, {@code float[]}, {@code double[]}; complex types
 * store interleaved real and imaginary parts, two array entries an element.
 *
 * <p>Storages are shared by views and are not synchronised, except that materialisation is safe from any thread.
 */
public final class Storage {
    private static final int ELEMENTS_AT_ONCE = 4096;
    private static final AtomicLong WATCHED_WRITES = new AtomicLong();
    private final DType dtype;
    private final int length;
    private volatile Object array;
    private ByteBuffer bytes;
    private Supplier<ByteBuffer> rule;
    private Storage source;
    /**
     * Makes some elements of a deferred storage as {@link #bytesOf} gives them; null where only all of them are made at
     * once.
     */
    private Function<int[], byte[]> some;

    private volatile int writes;
    private boolean watched;
    /** This and the storages of other types over the same bytes, or null if there are none. */
    private volatile List<Storage> sameBytes;

    private Storage(DType dtype, int length, Object array, ByteBuffer bytes) {
        this.dtype = dtype;
        this.length = length;
        this.array = array;
        this.bytes = bytes;
    }

    /**
     * Zero-filled storage.
     *
     * @param length number of elements
     * @throws IllegalArgumentException if negative or beyond what one Java array holds
     * @throws MemoryException if the heap has no room for it, or {@link MemoryLimit} allows no tensor so large
     */
    public static Storage allocate(DType dtype, long length) {
        int entries = checkLength(dtype, length);
        return new Storage(dtype, (int) length, newArray(dtype, entries), null);
    }

    /**
     * Wraps an array without copying.
     *
     * @throws IllegalArgumentException if the array is not of the type that {@code dtype} is stored in
     */
    public static Storage of(DType dtype, Object array) {
        Objects.requireNonNull(array, "array");
        Class<?> expected = arrayType(dtype);
        if (array.getClass() != expected) {
            throw new IllegalArgumentException("array: " + array.getClass().getSimpleName() + " (expected: "
                    + expected.getSimpleName() + " for " + dtype.torchName() + ")");
        }
        int entries = Array.getLength(array);
        return new Storage(dtype, dtype.isComplex() ? entries / 2 : entries, array, null);
    }

    /**
     * Storage over raw little-endian bytes, converted to an array when first used.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public static Storage ofBytes(DType dtype, ByteBuffer littleEndian) {
        ByteBuffer view = littleEndian.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (view.remaining() % dtype.bytes() != 0) {
            throw new IllegalArgumentException("bytes: " + view.remaining() + " (expected: a multiple of "
                    + dtype.bytes() + " for " + dtype.torchName() + ")");
        }
        return new Storage(dtype, view.remaining() / dtype.bytes(), null, view);
    }

    /**
     * Storage whose elements are made each time that {@link #view} or {@link #toBytes} ask for them, and so take no
     * memory between; the first call of {@link #array} keeps them. For weights that are made of others and are needed
     * one after another, as when a file is written.
     *
     * @param source what they are made of, or null
     * @param rule makes all elements as little-endian bytes in a buffer of its own, the same ones each time; called by
     *     any thread
     */
    public static Storage deferred(DType dtype, long length, Storage source, Supplier<ByteBuffer> rule) {
        checkLength(dtype, length);
        Storage made = new Storage(dtype, (int) length, null, null);
        made.source = source;
        made.rule = rule;
        return made;
    }

    /**
     * {@linkplain #deferred Deferred} storage of elements that the source has in another order.
     *
     * @param places by element where it lies in the source; called by any thread
     */
    public static Storage reordered(Storage source, long length, IntUnaryOperator places, Supplier<ByteBuffer> rule) {
        Storage made = deferred(source.dtype, length, source, rule);
        made.some =
                elements -> source.bytesOf(Arrays.stream(elements).map(places).toArray());
        return made;
    }

    /** {@linkplain #deferred Deferred} storage of zeros: for tensors of which mostly the geometry counts. */
    public static Storage deferredZeros(DType dtype, long length) {
        Storage made = deferred(
                dtype, length, null, () -> ByteBuffer.allocate(Math.multiplyExact((int) length, dtype.bytes())));
        made.some = elements -> new byte[Math.multiplyExact(elements.length, dtype.bytes())];
        return made;
    }

    /** What becomes of one element. */
    @FunctionalInterface
    public interface FloatElement {
        /**
         * Called by any thread.
         *
         * @param value of the source
         * @param element its number among those that are made
         */
        float of(float value, int element);
    }

    /**
     * {@linkplain #deferred Deferred} storage of float32, each element made of one of the source's.
     *
     * @param source of float32
     * @param from the source's element that the first is made of
     * @throws IllegalArgumentException if the source is of another dtype, or has fewer elements
     */
    public static Storage elementwise(Storage source, int from, int length, FloatElement rule) {
        if (source.dtype != DType.FLOAT32 || from < 0 || from > source.length - length) {
            throw new IllegalArgumentException("source: " + source.length + " elements of " + source.dtype.torchName()
                    + " (expected: float32, " + length + " from element " + from + " on)");
        }
        Storage made = deferred(DType.FLOAT32, length, source, () -> {
            FloatBuffer in = source.view().asFloatBuffer();
            ByteBuffer out =
                    ByteBuffer.allocate(Math.multiplyExact(length, Float.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            FloatBuffer put = out.asFloatBuffer();
            // Some at a time in an array, which costs far less than each through the buffers.
            float[] part = new float[Math.min(length, ELEMENTS_AT_ONCE)];
            ((Buffer) in).position(from);
            for (int done = 0; done < length; done += part.length) {
                int count = Math.min(part.length, length - done);
                in.get(part, 0, count);
                for (int i = 0; i < count; i++) {
                    part[i] = rule.of(part[i], done + i);
                }
                put.put(part, 0, count);
            }
            return out;
        });
        made.some = elements -> {
            ByteBuffer values = ByteBuffer.wrap(source.bytesOf(Arrays.stream(elements)
                            .map(element -> from + element)
                            .toArray()))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < elements.length; i++) {
                values.putFloat(Float.BYTES * i, rule.of(values.getFloat(Float.BYTES * i), elements[i]));
            }
            return values.array();
        };
        return made;
    }

    /**
     * Memory that is not there: tensors over it have a geometry and share memory or not, like any others, but whoever
     * asks for their elements gets a {@link NoDataException}.
     *
     * @param length number of elements
     */
    public static Storage withoutData(DType dtype, long length) {
        checkLength(dtype, length);
        return new Storage(dtype, (int) length, null, null);
    }

    /** The type of the elements. */
    public DType dtype() {
        return dtype;
    }

    /** Whether there are elements: not those of {@link #withoutData}. */
    public boolean hasData() {
        return array != null || hasBytes();
    }

    private synchronized boolean hasBytes() {
        return array != null || bytes != null || rule != null;
    }

    /** Number of elements (complex numbers count once). */
    public int length() {
        return length;
    }

    /** A number that differs once elements were written since; see {@link #written}. */
    public int writes() {
        return writes;
    }

    /**
     * Says that elements were written. What keeps something made of them, such as packed weights, then makes it anew.
     * Operators and {@link Tensor#copyFrom} say so by themselves; who writes to the {@link #array} of a tensor that a
     * model holds has to.
     */
    public void written() {
        List<Storage> others;
        synchronized (this) {
            count();
            others = sameBytes;
        }
        if (others != null) {
            for (Storage other : others) {
                if (other != this) {
                    other.takeBytes(this);
                }
            }
        }
    }

    private synchronized void count() {
        writes++;
        if (watched) {
            WATCHED_WRITES.incrementAndGet();
        }
    }

    /**
     * The same bytes as elements of another type. A Java array has one type, so that the elements are another array's
     * unless both types are held alike; what is written to one is the other's when {@link #written} says so. All
     * storages that are the same bytes live as long as one of them.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public Storage viewedAs(DType type) {
        if (type == dtype) {
            return this;
        }
        List<Storage> all;
        synchronized (this) {
            if (sameBytes == null) {
                sameBytes = new CopyOnWriteArrayList<>(List.of(this));
            }
            all = sameBytes;
        }
        synchronized (all) {
            for (Storage known : all) {
                if (known.dtype == type) {
                    return known;
                }
            }
            Storage view = arrayType(type) == arrayType(dtype) && type.isComplex() == dtype.isComplex()
                    ? of(type, array())
                    : ofBytes(type, toBytes());
            view.sameBytes = all;
            view.array();
            all.add(view);
            return view;
        }
    }

    private void takeBytes(Storage from) {
        if (array() != from.array()) {
            Object bytesOfOther = ofBytes(dtype, from.toBytes()).array();
            System.arraycopy(bytesOfOther, 0, array(), 0, Array.getLength(bytesOfOther));
        }
        count();
    }

    /** From now on {@link #watchedWrites} counts what is written here. */
    public synchronized void watch() {
        watched = true;
    }

    /**
     * A number that differs once elements of any watched storage were written since: who looks at hundreds may leave it
     * at one look at this.
     */
    public static long watchedWrites() {
        return WATCHED_WRITES.get();
    }

    /**
     * The backing array; see the class comment for its type. After writing to it where others look too, call
     * {@link #written}.
     *
     * @throws NoDataException if this is storage without data
     */
    public Object array() {
        Object current = array;
        return current != null ? current : materialise();
    }

    /** {@link #array} of elements of one byte; a ClassCastException for others. */
    public byte[] byteArray() {
        return (byte[]) array();
    }

    /** {@link #array} of elements of two bytes; a ClassCastException for others. */
    public short[] shortArray() {
        return (short[]) array();
    }

    /** {@link #array} of int32 and qint32; a ClassCastException for others. */
    public int[] intArray() {
        return (int[]) array();
    }

    /** {@link #array} of int64; a ClassCastException for others. */
    public long[] longArray() {
        return (long[]) array();
    }

    /** {@link #array} of float32 and complex64; a ClassCastException for others. */
    public float[] floatArray() {
        return (float[]) array();
    }

    /** {@link #array} of float64 and complex128; a ClassCastException for others. */
    public double[] doubleArray() {
        return (double[]) array();
    }

    /**
     * All elements, little-endian and read-only, as they are now: the file's own bytes if nothing has made an array of
     * them yet, else a copy. What takes weights from a file through this leaves them in the file.
     */
    public ByteBuffer view() {
        synchronized (this) {
            requireData();
            if (array == null && bytes != null) {
                return bytes.duplicate().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
            }
        }
        return toBytes().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * The bytes of some elements, little-endian, one element's after another's. Deferred elements of which each comes
     * from one of a source's are made alone; where others are deferred, all are made.
     *
     * @param elements their numbers
     */
    public byte[] bytesOf(int... elements) {
        ByteBuffer given;
        Object a;
        Function<int[], byte[]> making;
        synchronized (this) {
            requireData();
            a = array;
            given = bytes;
            making = some;
        }
        // Made outside the lock, as rules ask other storages.
        if (making != null) {
            return making.apply(elements);
        }
        int size = dtype.bytes();
        ByteBuffer out = ByteBuffer.allocate(elements.length * size).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer in = a != null ? null : given != null ? given.duplicate() : toBytes();
        int entries = dtype.isComplex() ? 2 : 1;
        for (int element : elements) {
            for (int i = element * entries; i < (element + 1) * entries; i++) {
                if (a instanceof byte[] x) {
                    out.put(x[i]);
                } else if (a instanceof short[] x) {
                    out.putShort(x[i]);
                } else if (a instanceof int[] x) {
                    out.putInt(x[i]);
                } else if (a instanceof long[] x) {
                    out.putLong(x[i]);
                } else if (a instanceof float[] x) {
                    out.putFloat(x[i]);
                } else if (a instanceof double[] x) {
                    out.putDouble(x[i]);
                }
            }
            for (int i = 0; in != null && i < size; i++) {
                out.put(in.get(element * size + i));
            }
        }
        return out.array();
    }

    /**
     * As many bytes as there are elements, for whoever asks how many there are and not for what they are: the file's,
     * of this storage or of what it is made of, which take no memory. Null where none lie in a file.
     */
    public ByteBuffer fileBytes() {
        Storage from;
        synchronized (this) {
            if (array == null && bytes != null) {
                return bytes.duplicate().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
            }
            from = source;
        }
        ByteBuffer given = from == null ? null : from.fileBytes();
        long size = (long) length * dtype.bytes();
        if (given == null || given.remaining() < size) {
            return null;
        }
        ((Buffer) given).limit(given.position() + (int) size);
        return given.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Bytes of the Java array that backs this storage; 0 as long as its elements lie in a file, or are
     * {@link #deferred}.
     */
    public long heapBytes() {
        return array == null ? 0 : (long) length * dtype.bytes();
    }

    /** A little-endian copy of all elements, as an archive stores them. */
    public ByteBuffer toBytes() {
        long size = (long) length * dtype.bytes();
        if (size > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("storage: " + size + " bytes (expected: below 2 GiB)");
        }
        Supplier<ByteBuffer> making;
        synchronized (this) {
            requireData();
            making = array == null ? rule : null;
        }
        // Made outside the lock, as rules ask other storages.
        if (making != null) {
            return made(making);
        }
        ByteBuffer out = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        synchronized (this) {
            if (array == null) {
                out.put(bytes.duplicate());
                ((Buffer) out).flip();
                return out;
            }
        }
        Object a = array;
        if (a instanceof byte[] x) {
            out.put(x);
        } else if (a instanceof short[] x) {
            out.asShortBuffer().put(x);
        } else if (a instanceof int[] x) {
            out.asIntBuffer().put(x);
        } else if (a instanceof long[] x) {
            out.asLongBuffer().put(x);
        } else if (a instanceof float[] x) {
            out.asFloatBuffer().put(x);
        } else {
            out.asDoubleBuffer().put((double[]) a);
        }
        ((Buffer) out).clear();
        return out;
    }

    private ByteBuffer made(Supplier<ByteBuffer> making) {
        ByteBuffer out = making.get();
        if (out.remaining() != (long) length * dtype.bytes()) {
            throw new IllegalStateException("rule: " + out.remaining() + " bytes (expected: " + length + " elements of "
                    + dtype.torchName() + ")");
        }
        return out.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    private void requireData() {
        if (array == null && bytes == null && rule == null) {
            throw new NoDataException(this);
        }
    }

    private synchronized Object materialise() {
        if (array == null) {
            requireData();
            Object made = newArray(dtype, checkLength(dtype, length));
            ByteBuffer in = bytes != null ? bytes : made(rule);
            if (made instanceof byte[] x) {
                in.duplicate().get(x);
            } else if (made instanceof short[] x) {
                in.asShortBuffer().get(x);
            } else if (made instanceof int[] x) {
                in.asIntBuffer().get(x);
            } else if (made instanceof long[] x) {
                in.asLongBuffer().get(x);
            } else if (made instanceof float[] x) {
                in.asFloatBuffer().get(x);
            } else {
                in.asDoubleBuffer().get((double[]) made);
            }
            array = made;
            bytes = null;
            rule = null;
            source = null;
            some = null;
        }
        return array;
    }

    private static int checkLength(DType dtype, long length) {
        long entries = dtype.isComplex() ? 2 * length : length;
        if (length < 0 || entries > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "elements: " + length + " (expected: 0 to " + (Integer.MAX_VALUE - 8) + ", what one array holds)");
        }
        return (int) entries;
    }

    private static Class<?> arrayType(DType dtype) {
        return switch (dtype) {
            case UINT8, INT8, BOOL, QINT8, QUINT8, QUINT4X2 -> byte[].class;
            case INT16, FLOAT16, BFLOAT16, COMPLEX32 -> short[].class;
            case INT32, QINT32 -> int[].class;
            case INT64 -> long[].class;
            case FLOAT32, COMPLEX64 -> float[].class;
            case FLOAT64, COMPLEX128 -> double[].class;
        };
    }

    private static Object newArray(DType dtype, int entries) {
        long elements = dtype.isComplex() ? entries / 2 : entries;
        if (!MemoryLimit.allows(elements * dtype.bytes())) {
            MemoryLimit.check(described(dtype, elements), elements * dtype.bytes());
        }
        try {
            return Array.newInstance(arrayType(dtype).getComponentType(), entries);
        } catch (OutOfMemoryError e) {
            throw new MemoryException(described(dtype, elements) + ": " + elements * dtype.bytes() + " bytes", e);
        }
    }

    private static String described(DType dtype, long elements) {
        return "tensor of " + elements + " elements of " + dtype.torchName();
    }
}
