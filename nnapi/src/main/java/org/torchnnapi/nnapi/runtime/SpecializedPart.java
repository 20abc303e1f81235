package org.torchnnapi.nnapi.runtime;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.SpecializationCache;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A part of a model that an execution must complete before its device can prepare it: with shapes that it leaves open,
 * or with values of inputs that the device makes constants of (see {@link PartRules}). What is prepared for the last
 * few sets of these is kept, and an execution that brings one of them again allocates nothing. What gives only empty
 * tensors needs no device.
 */
final class SpecializedPart implements PreparedModel {
    private static final int MOST_VARIANTS = 4;
    /** Executions in a row that bring something new, after which the other way is tried and timed. */
    private static final int PATIENCE = 3;

    private final Model model;
    private final boolean[] byValue;
    private final SpecializationCache<PreparedModel> variants;
    private final Consumer<ExecutionRequest> other;
    private volatile boolean profiled;
    /**
     * How many executions in a row brought something new, and a hash of the last. Only hints, as the times in ns:
     * threads may overwrite them.
     */
    private volatile int news;

    private volatile int lastNews;
    private volatile PreparedModel lastMade;
    private volatile boolean lastMadeReturned;
    private volatile long madeNanos;
    private volatile long otherNanos;

    /**
     * @param prepare has the device prepare a part that is complete
     * @param other executes the part as it is, where preparing it time and again takes longer or the device refuses;
     *     null if nothing may
     */
    SpecializedPart(
            Model model,
            PartRules rules,
            BiFunction<Model, ExecutionControl, PreparedModel> prepare,
            Consumer<ExecutionRequest> other) {
        this.model = model;
        this.other = other;
        byValue = openValues(model, rules);
        variants = new SpecializationCache<>(
                model,
                byValue,
                (operation, input) -> rules.needsValue(model, operation, input),
                MOST_VARIANTS,
                (known, request) -> make(known, request, prepare),
                PreparedModel::close);
    }

    /** Whether a part is for an execution to complete. */
    static boolean isOpen(Model part, PartRules rules) {
        for (int i = 0; rules.needsShapes() && i < part.inputCount(); i++) {
            Operand input = part.input(i);
            if (input.type().isTensor()
                    && input.lifetime() != Lifetime.NO_VALUE
                    && !input.descriptor().isFullySpecified()) {
                return true;
            }
        }
        for (boolean open : openValues(part, rules)) {
            if (open) {
                return true;
            }
        }
        return false;
    }

    private static boolean[] openValues(Model part, PartRules rules) {
        boolean[] open = new boolean[part.inputCount()];
        int[] places = new int[part.operands().size()];
        Arrays.fill(places, -1);
        int[] inputs = part.inputs();
        for (int i = 0; i < inputs.length; i++) {
            places[inputs[i]] = i;
        }
        for (Operation operation : part.operations()) {
            for (int i = 0; i < operation.inputCount(); i++) {
                int place = places[operation.input(i)];
                if (place >= 0 && !open[place]) {
                    open[place] = rules.needsValue(part, operation, i);
                }
            }
        }
        return open;
    }

    private PreparedModel make(
            Model known, ExecutionRequest request, BiFunction<Model, ExecutionControl, PreparedModel> prepare) {
        int[][] inputs = new int[model.inputCount()][];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = request.input(i) == null ? null : request.inputDimensions(i);
        }
        int[][] shapes = StaticShapes.of(known, inputs);
        PreparedModel made = EmptyPart.of(known, shapes);
        if (made == null) {
            try {
                made = prepare.apply(StaticShapes.resolved(known, shapes), request.control());
            } catch (NnapiException e) {
                request.control().check();
                if (other == null) {
                    throw e;
                }
                made = new Elsewhere(other);
            }
        }
        if (profiled) {
            made.profile();
        }
        return made;
    }

    @Override
    public void execute(ExecutionRequest request) {
        SpecializationCache.Variant<PreparedModel> found = variants.find(request);
        if (found != null) {
            // An execution that finds too little room for its outputs comes twice: that alone makes nothing familiar.
            news = found.made() == lastMade && !lastMadeReturned ? news : 0;
            lastMadeReturned = true;
            run(found, request);
            return;
        }
        int count = ++news;
        int hash = other != null && count > PATIENCE ? hash(request) : 0;
        boolean otherWay = other != null
                && count > PATIENCE
                && hash != lastNews
                && (count == PATIENCE + 1 || otherNanos < madeNanos);
        long start = System.nanoTime();
        if (otherWay) {
            boolean done = false;
            try {
                other.accept(request);
                done = true;
            } finally {
                // What failed, for want of room for its outputs, comes again and is tried again.
                news = done ? count : count - 1;
                otherNanos = System.nanoTime() - start;
            }
            lastNews = hash;
        } else {
            SpecializationCache.Variant<PreparedModel> variant = variants.acquire(request);
            lastMade = variant.made();
            lastMadeReturned = false;
            lastNews = hash;
            madeNanos = System.nanoTime() - start;
            run(variant, request);
            madeNanos = System.nanoTime() - start;
        }
    }

    private void run(SpecializationCache.Variant<PreparedModel> variant, ExecutionRequest request) {
        try {
            variant.made().execute(request);
        } finally {
            variants.release(variant);
        }
    }

    private int hash(ExecutionRequest request) {
        int hash = 0;
        for (int i = 0; i < byValue.length; i++) {
            hash = 31 * hash + Arrays.hashCode(request.inputDimensions(i));
            hash = 31 * hash
                    + (byValue[i] && request.input(i) != null ? request.input(i).hashCode() : 0);
        }
        return hash;
    }

    /** How many sets of shapes and values have what serves them. */
    int variants() {
        return variants.all().size();
    }

    @Override
    public DeviceMemory memory() {
        return variants.all().stream().map(PreparedModel::memory).reduce(DeviceMemory.NONE, DeviceMemory::plus);
    }

    @Override
    public void profile() {
        profiled = true;
        variants.all().forEach(PreparedModel::profile);
    }

    @Override
    public List<StepTime> stepTimes() {
        return variants.all().stream()
                .flatMap(part -> part.stepTimes().stream())
                .collect(Streams.toList());
    }

    @Override
    public void close() {
        variants.close();
    }

    /** Executed by somebody else. */
    private record Elsewhere(Consumer<ExecutionRequest> other) implements PreparedModel {
        @Override
        public void execute(ExecutionRequest request) {
            other.accept(request);
        }

        @Override
        public void close() {}
    }

    /** Gives nothing but empty tensors. */
    private record EmptyPart(int[][] shapes) implements PreparedModel {
        /** Null unless all outputs are known to be empty. */
        static EmptyPart of(Model model, int[][] shapes) {
            int[] outputs = model.outputs();
            int[][] empty = new int[outputs.length][];
            for (int i = 0; i < outputs.length; i++) {
                empty[i] = shapes[outputs[i]];
                if (empty[i] == null || Arrays.stream(empty[i]).noneMatch(size -> size == 0)) {
                    return null;
                }
            }
            return new EmptyPart(empty);
        }

        @Override
        public void execute(ExecutionRequest request) {
            for (int i = 0; i < shapes.length; i++) {
                request.reportOutput(i, shapes[i], true);
            }
        }

        @Override
        public void close() {}
    }
}
