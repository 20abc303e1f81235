package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.Tensor;

/** A method compiled for arguments of one signature. Safe for use by several threads. */
final class CompiledStages {
    /** A part of the work: a program, or a call of an operator. */
    interface Stage {
        /** Takes values from and puts values into {@code values}, by their numbers in the recording. */
        void run(Tensor[] values, Workspaces.Held workspace);

        /** Bytes of weights as it keeps them. */
        default long weights() {
            return 0;
        }

        /** Starts to measure its own steps, if it has any. */
        default void profile() {}

        /** What its own steps took since {@link #profile}; empty if it has none. */
        default List<StageTime> stepTimes() {
            return List.of();
        }

        /** For people, one line or more. */
        List<String> describe();
    }

    /** A constant that the method makes, so that every call gives a new one. */
    record Copied(Tensor tensor) {}

    /** An argument given back as it came. */
    record Returned(int argument) {}

    /** Of a region: the input of that number, as it came. */
    record Passed(int input) {}

    /**
     * Of a region: memory of a tensor among its inputs, seen otherwise.
     *
     * @param offset of the first element from that tensor's
     */
    record View(int argument, TensorGeometry geometry, int offset) {}

    /** Of a region: memory of another tensor of this run, seen otherwise. All of one {@code base} share it. */
    record Shared(Result base, TensorGeometry geometry, int offset) {}

    /** An argument, a program's or a call's result; {@code own} if its memory must be no other's. */
    record Result(Placed placed, boolean own) {
        Tensor in(Tensor[] values) {
            return placed.geometry().place(values[placed.value()], own);
        }
    }

    private final Attributes attributes;
    private final int valueCount;
    private final int[] arguments;
    private final List<Stage> stages;
    private final Object result;
    private final Workspaces workspaces;
    /** What each stage took; null while nothing is measured. */
    private volatile AtomicLongArray nanos;

    /**
     * @param arguments the value of each tensor argument, by its number
     * @param result with {@link Copied}, {@link Returned} and {@link Result} in place of tensors that are not the
     *     model's
     */
    CompiledStages(
            Attributes attributes,
            int valueCount,
            int[] arguments,
            List<Stage> stages,
            Object result,
            Workspaces workspaces) {
        this.attributes = attributes;
        this.valueCount = valueCount;
        this.arguments = arguments;
        this.stages = stages;
        this.result = result;
        this.workspaces = workspaces;
    }

    /** What it took for constant. */
    Attributes attributes() {
        return attributes;
    }

    /** Whether the module still is what it was when this was recorded. */
    boolean isCurrent() {
        return attributes.unchanged();
    }

    /**
     * @param tensors the tensors in the arguments, in order
     * @throws ResultMismatchException if a called operator gave something else than at the recording
     */
    Object run(List<? extends Tensor> tensors) {
        return run(tensors, null);
    }

    /** @param inputs of a region */
    Object run(List<? extends Tensor> tensors, Object[] inputs) {
        Tensor[] values = new Tensor[valueCount];
        for (int i = 0; i < arguments.length; i++) {
            values[arguments[i]] = tensors.get(i);
        }
        runStages(values);
        Map<Result, Tensor> bases = new IdentityHashMap<>();
        return NestedValues.map(result, leaf -> {
            if (leaf instanceof Result r) {
                return r.in(values);
            }
            if (leaf instanceof Passed passed) {
                return inputs[passed.input()];
            }
            if (leaf instanceof View view) {
                Tensor of = tensors.get(view.argument());
                return of.asStrided(view.geometry().sizes(), view.geometry().strides(), of.offset() + view.offset());
            }
            if (leaf instanceof Shared shared) {
                Tensor base = bases.computeIfAbsent(shared.base(), r -> r.in(values));
                return base.asStrided(
                        shared.geometry().sizes(), shared.geometry().strides(), base.offset() + shared.offset());
            }
            if (leaf instanceof Returned returned) {
                return tensors.get(returned.argument());
            }
            return leaf instanceof Copied copied
                    ? TensorGeometry.of(copied.tensor()).place(copied.tensor(), true)
                    : leaf instanceof Kept kept ? kept.value() : leaf;
        });
    }

    private void runStages(Tensor[] values) {
        AtomicLongArray measured = nanos;
        Workspaces.Held workspace = workspaces.take();
        try {
            for (int i = 0; i < stages.size(); i++) {
                long start = measured == null ? 0 : System.nanoTime();
                stages.get(i).run(values, workspace);
                if (measured != null) {
                    measured.addAndGet(i, System.nanoTime() - start);
                }
            }
        } finally {
            workspaces.giveBack(workspace);
        }
    }

    /** A value of the model's own, not to be copied. */
    record Kept(Object value) {}

    void profile() {
        stages.forEach(Stage::profile);
        nanos = new AtomicLongArray(stages.size());
    }

    /**
     * What the stages' steps took since {@link #profile}, and a program's copies of tensors that go in and come out.
     */
    List<StageTime> stepTimes() {
        List<StageTime> times = new ArrayList<>();
        AtomicLongArray measured = nanos;
        for (int i = 0; measured != null && i < stages.size(); i++) {
            List<StageTime> steps = stages.get(i).stepTimes();
            if (stages.get(i) instanceof CallStage call) {
                times.add(new StageTime(call.describe().get(0), false, measured.get(i), List.of(call.of())));
                continue;
            }
            times.addAll(steps);
            long copies =
                    measured.get(i) - steps.stream().mapToLong(StageTime::nanos).sum();
            times.add(new StageTime("tensors in and out", true, Math.max(copies, 0)));
        }
        return times;
    }

    /** How many operators are called one by one. */
    int calls() {
        return (int) stages.stream().filter(CallStage.class::isInstance).count();
    }

    /** Bytes of weights as its programs keep them. */
    long weights() {
        return stages.stream().mapToLong(Stage::weights).sum();
    }

    List<String> describe() {
        List<String> lines = new ArrayList<>();
        stages.forEach(stage -> lines.addAll(stage.describe()));
        return lines;
    }
}
