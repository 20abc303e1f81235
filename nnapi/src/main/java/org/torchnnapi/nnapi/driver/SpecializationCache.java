package org.torchnnapi.nnapi.driver;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.model.Specialization;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.platform.Streams;

/**
 * What is made for each set of what executions bring and the model leaves open: shapes, the values of some inputs, and
 * which inputs are left out. The last few are kept; one that is put aside while executions use it is closed when the
 * last of these ends. Finding what is there allocates nothing. Thread-safe: a set that is asked for twice is made once,
 * and making one holds nobody up who wants another.
 *
 * @param <V> what is made
 */
public final class SpecializationCache<V> implements AutoCloseable {
    /** One that is in use from {@link #acquire} until {@link #release}. */
    public static final class Variant<V> {
        /** By input; null where the model says the shape or the input is left out. */
        private final int[][] dimensions;
        /** By input; null where its value is of no concern. */
        private final Buffer[] values;

        private final boolean[] omitted;
        private int users;
        private boolean put;
        private V made;
        private RuntimeException failure;
        private long lastUse;

        private Variant(int inputs) {
            dimensions = new int[inputs][];
            values = new Buffer[inputs];
            omitted = new boolean[inputs];
        }

        /** What was made. */
        public V made() {
            return made;
        }

        private boolean serves(ExecutionRequest request) {
            for (int i = 0; i < omitted.length; i++) {
                Buffer data = request.input(i);
                if (omitted[i] != (data == null)
                        || dimensions[i] != null && !Arrays.equals(dimensions[i], request.inputDimensions(i))
                        || values[i] != null && !isSame(values[i], data)) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isSame(Buffer value, Buffer data) {
            return data.capacity() == value.capacity()
                    ? value.equals(data)
                    : data.capacity() > value.capacity() && value.equals(OperandBuffers.first(data, value.capacity()));
        }
    }

    /** Something is closed, whatever it is. */
    @FunctionalInterface
    public interface Closer<V> {
        void close(V made);
    }

    private final Model model;
    private final boolean[] byValue;
    private final Specialization.Reader reader;
    private final int most;
    private final BiFunction<Model, ExecutionRequest, V> maker;
    private final Closer<V> closer;
    private final List<Variant<V>> variants = new CopyOnWriteArrayList<>();
    private long uses;
    private boolean closed;

    /**
     * @param byValue by input whether there is a variant for each value
     * @param reader where such a value is read as a constant
     * @param most how many are kept
     * @param maker makes one of the model with all that is known, for the request; what it throws comes through, and is
     *     not kept
     */
    public SpecializationCache(
            Model model,
            boolean[] byValue,
            Specialization.Reader reader,
            int most,
            BiFunction<Model, ExecutionRequest, V> maker,
            Closer<V> closer) {
        this.model = model;
        this.byValue = byValue.clone();
        this.reader = reader;
        this.most = most;
        this.maker = maker;
        this.closer = closer;
    }

    /** What serves the request, or null where nothing does yet; to be released. */
    public Variant<V> find(ExecutionRequest request) {
        // Values may be large, so they are compared outside the lock.
        for (Variant<V> variant : variants) {
            if (variant.serves(request)) {
                synchronized (this) {
                    if (variant.made != null && !variant.put) {
                        return use(variant);
                    }
                }
            }
        }
        return null;
    }

    /**
     * What serves the request, made if need be; to be released.
     *
     * @throws NnapiException BAD_STATE once closed; what the maker throws
     */
    public Variant<V> acquire(ExecutionRequest request) {
        Variant<V> found = find(request);
        if (found != null) {
            return found;
        }
        Variant<V> wanted = null;
        Model known = null;
        synchronized (this) {
            if (closed) {
                throw new NnapiException(ResultCode.BAD_STATE, "model: closed (expected: open)");
            }
            for (Variant<V> variant : variants) {
                if (variant.serves(request)) {
                    wanted = use(variant);
                    break;
                }
            }
            if (wanted == null) {
                wanted = new Variant<>(model.inputCount());
                known = specialized(request, wanted);
                variants.add(use(wanted));
            }
        }
        if (known != null) {
            make(wanted, known, request);
        }
        return awaitMade(wanted);
    }

    private void make(Variant<V> variant, Model known, ExecutionRequest request) {
        V made = null;
        RuntimeException failure = null;
        try {
            made = maker.apply(known, request);
        } catch (RuntimeException | Error e) {
            failure = e instanceof RuntimeException exception
                    ? exception
                    : new NnapiException(ResultCode.OP_FAILED, "model: " + e, e);
        }
        List<Variant<V>> unused = new ArrayList<>();
        synchronized (this) {
            variant.made = made;
            variant.failure = failure;
            if (failure != null) {
                variants.remove(variant);
            }
            while (variants.size() > most) {
                Variant<V> oldest = null;
                for (Variant<V> other : variants) {
                    oldest = other.made != null && (oldest == null || other.lastUse < oldest.lastUse) ? other : oldest;
                }
                if (oldest == null) {
                    break;
                }
                putAside(oldest, unused);
            }
            notifyAll();
        }
        unused.forEach(this::close);
    }

    private Variant<V> awaitMade(Variant<V> variant) {
        synchronized (this) {
            boolean interrupted = false;
            while (variant.made == null && variant.failure == null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (variant.failure == null) {
                return variant;
            }
            variant.users--;
        }
        throw variant.failure;
    }

    private Variant<V> use(Variant<V> variant) {
        variant.users++;
        variant.lastUse = ++uses;
        return variant;
    }

    /** Ends a use. */
    public void release(Variant<V> variant) {
        boolean last;
        synchronized (this) {
            last = --variant.users == 0 && variant.put;
        }
        if (last) {
            close(variant);
        }
    }

    private void putAside(Variant<V> variant, List<Variant<V>> unused) {
        variants.remove(variant);
        variant.put = true;
        if (variant.users == 0) {
            unused.add(variant);
        }
    }

    private void close(Variant<V> variant) {
        closer.close(variant.made);
    }

    /** The model with what the request brings, which is noted in the variant. */
    private Model specialized(ExecutionRequest request, Variant<V> variant) {
        Specialization given = new Specialization(model);
        int[] inputs = model.inputs();
        for (int i = 0; i < inputs.length; i++) {
            Buffer data = request.input(i);
            if (data == null) {
                variant.omitted[i] = true;
                given.omit(inputs[i]);
                continue;
            }
            OperandDescriptor operand = model.input(i).descriptor();
            int[] dimensions = request.inputDimensions(i);
            if (dimensions != null) {
                variant.dimensions[i] = dimensions.clone();
                given.shape(inputs[i], dimensions);
            }
            if (byValue[i]) {
                int count = OperandBuffers.elements(operand, dimensions == null ? operand.dimensions() : dimensions);
                ByteBuffer bytes = ByteBuffer.allocate(
                                Math.multiplyExact(count, operand.type().elementBytes()))
                        .order(ByteOrder.LITTLE_ENDIAN);
                variant.values[i] = OperandBuffers.view(operand.type(), bytes);
                if (data.capacity() < count) {
                    throw new NnapiException(
                            ResultCode.BAD_DATA,
                            "input " + i + ": " + data.capacity() + " elements (expected: " + count + ")");
                }
                OperandBuffers.copy(data, variant.values[i], count);
                given.value(inputs[i], bytes);
            }
        }
        return given.finish(reader);
    }

    /** What there is, the one used last at the end; any of it may be closed as soon as it has been put aside. */
    public synchronized List<V> all() {
        return variants.stream()
                .filter(variant -> variant.made != null)
                .sorted((a, b) -> Long.compare(a.lastUse, b.lastUse))
                .map(variant -> variant.made)
                .collect(Streams.toList());
    }

    /** Closes all, those in use when their last use ends; nothing is made any more. */
    @Override
    public void close() {
        List<Variant<V>> unused = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Variant<V> variant : variants) {
                putAside(variant, unused);
            }
        }
        unused.forEach(this::close);
    }
}
