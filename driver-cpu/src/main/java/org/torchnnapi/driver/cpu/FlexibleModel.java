package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.model.Specialization;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * A model that an execution must complete: with shapes it leaves open, or with values of inputs that programs are made for, such as
 * weights, axes and sizes. Each set of these has a program of its own; the last few are kept, and an execution that brings the same again
 * compares and allocates nothing. What no program can be made of (an empty tensor, an unusual axis) the reference kernels do, and what
 * changes every time where that takes them less than to make a program and run it once.
 */
final class FlexibleModel implements PreparedModel {
    private static final int MOST_VARIANTS = 4;
    /** Executions in a row that bring something new, after which the reference kernels are tried and timed. */
    private static final int PATIENCE = 3;

    private final Model model;
    /** By input whether programs are made for its value. */
    private final boolean[] isParameter;
    /** The one made last first; replaced, never changed. */
    private volatile Variant[] variants = {};
    private PreparedModel reference;
    private boolean profiled;
    /** How many executions in a row brought something new, and a hash of the last. Only hints, as the times in ns: threads may overwrite them. */
    private volatile int news;
    private volatile int lastNews;
    private volatile long madeNanos;
    private volatile long referenceNanos;

    /**
     * What a program was made for.
     *
     * @param dimensions by input; null where the model says them or the input is left out
     * @param values by input; null where it is no parameter or left out
     * @param omitted by input whether it is left out
     */
    private record Variant(int[][] dimensions, Buffer[] values, boolean[] omitted, PreparedModel prepared) {
        boolean serves(ExecutionRequest request) {
            for (int i = 0; i < omitted.length; i++) {
                Buffer data = request.input(i);
                if (omitted[i] != (data == null) || dimensions[i] != null && !Arrays.equals(dimensions[i], request.inputDimensions(i))
                        || values[i] != null && !isSame(values[i], data)) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isSame(Buffer value, Buffer data) {
            return data.capacity() == value.capacity() ? value.equals(data)
                    : data.capacity() > value.capacity() && value.equals(data.slice(0, value.capacity()));
        }
    }

    /** @param model its parameters are constants or inputs */
    FlexibleModel(Model model) {
        this.model = model;
        isParameter = new boolean[model.inputCount()];
        int[] inputs = model.inputs();
        for (Operation operation : model.operations()) {
            Site site = new Site(model, operation);
            for (int i = 0; i < site.inputs(); i++) {
                for (int j = 0; j < inputs.length; j++) {
                    isParameter[j] |= inputs[j] == operation.input(i) && site.isOpenParameter(i);
                }
            }
        }
    }

    @Override
    public void execute(ExecutionRequest request) {
        PreparedModel prepared = find(request);
        if (prepared != null) {
            news = 0;
            prepared.execute(request);
            return;
        }
        int count = ++news;
        boolean byReference = false;
        if (count > PATIENCE) {
            int hash = hash(request);
            byReference = hash != lastNews && (count == PATIENCE + 1 || referenceNanos < madeNanos);
            lastNews = hash;
        }
        long start = System.nanoTime();
        (byReference ? reference() : make(request)).execute(request);
        if (byReference) {
            referenceNanos = System.nanoTime() - start;
        } else {
            madeNanos = System.nanoTime() - start;
        }
    }

    private int hash(ExecutionRequest request) {
        int hash = 0;
        for (int i = 0; i < isParameter.length; i++) {
            hash = 31 * hash + Arrays.hashCode(request.inputDimensions(i));
            hash = 31 * hash + (isParameter[i] && request.input(i) != null ? request.input(i).hashCode() : 0);
        }
        return hash;
    }

    private PreparedModel find(ExecutionRequest request) {
        for (Variant variant : variants) {
            if (variant.serves(request)) {
                return variant.prepared;
            }
        }
        return null;
    }

    private synchronized PreparedModel make(ExecutionRequest request) {
        PreparedModel made = find(request);
        if (made != null) {
            return made;
        }
        int inputs = model.inputCount();
        Variant key = new Variant(new int[inputs][], new Buffer[inputs], new boolean[inputs], null);
        try {
            made = profiling(CpuDriver.program(specialized(request, key), request.control()::check));
        } catch (NnapiException e) {
            request.control().check();
            made = reference();
        }
        Variant[] before = variants;
        Variant[] now = new Variant[Math.min(MOST_VARIANTS, before.length + 1)];
        now[0] = new Variant(key.dimensions, key.values, key.omitted, made);
        System.arraycopy(before, 0, now, 1, now.length - 1);
        variants = now;
        return made;
    }

    /** The model with what the request brings, which is noted in the key. */
    private Model specialized(ExecutionRequest request, Variant key) {
        Specialization given = new Specialization(model);
        int[] inputs = model.inputs();
        for (int i = 0; i < inputs.length; i++) {
            Buffer data = request.input(i);
            if (data == null) {
                key.omitted[i] = true;
                given.omit(inputs[i]);
                continue;
            }
            OperandType type = model.input(i).type();
            int[] dimensions = request.inputDimensions(i);
            if (dimensions != null) {
                key.dimensions[i] = dimensions.clone();
                given.shape(inputs[i], dimensions);
            }
            if (isParameter[i]) {
                int[] actual = dimensions == null ? model.input(i).descriptor().dimensions() : dimensions;
                int count = Site.product(actual, 0, actual.length);
                ByteBuffer bytes = ByteBuffer.allocate(count * type.elementBytes()).order(ByteOrder.LITTLE_ENDIAN);
                key.values[i] = OperandBuffers.view(type, bytes);
                if (data.capacity() < count) {
                    throw new NnapiException(ResultCode.BAD_DATA, "input " + i + ": " + data.capacity() + " elements (expected: " + count + ")");
                }
                OperandBuffers.copy(data, key.values[i], count);
                given.value(inputs[i], bytes);
            }
        }
        Model known = given.finish((operation, input) -> new Site(model, operation).isOpenParameter(input));
        return CpuDriver.resolved(known, StaticShapes.of(known));
    }

    private synchronized PreparedModel reference() {
        if (reference == null) {
            reference = profiling(new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT));
        }
        return reference;
    }

    private PreparedModel profiling(PreparedModel made) {
        if (profiled) {
            made.profile();
        }
        return made;
    }

    /** The programs made so far, and the reference's where it was needed, each once. */
    private synchronized List<PreparedModel> prepared() {
        List<PreparedModel> all = new ArrayList<>();
        for (Variant variant : variants) {
            if (variant.prepared != reference) {
                all.add(variant.prepared);
            }
        }
        if (reference != null) {
            all.add(reference);
        }
        return all;
    }

    /** How many sets of shapes and values have what serves them. */
    int variants() {
        return variants.length;
    }

    @Override
    public DeviceMemory memory() {
        DeviceMemory sum = DeviceMemory.NONE;
        for (PreparedModel part : prepared()) {
            sum = sum.plus(part.memory());
        }
        return sum;
    }

    @Override
    public void profile() {
        synchronized (this) {
            profiled = true;
        }
        prepared().forEach(PreparedModel::profile);
    }

    @Override
    public List<StepTime> stepTimes() {
        return prepared().stream().flatMap(part -> part.stepTimes().stream()).toList();
    }

    @Override
    public synchronized void close() {
        prepared().forEach(PreparedModel::close);
        variants = new Variant[0];
    }
}
