package org.torchnnapi.torchscript.specialise;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ProgramMemory;
import org.torchnnapi.torchscript.specialise.Recording.Placed;

/** A method compiled for arguments of one signature. Safe for use by several threads. */
final class Specialisation {
    /** A part of the work: a program, or a call of an operator. */
    interface Stage {
        /** Takes values from and puts values into {@code values}, by their numbers in the recording. */
        void run(Tensor[] values);

        default ProgramMemory memory() {
            return ProgramMemory.NONE;
        }

        /** For people, one line or more. */
        List<String> describe();
    }

    /** A constant that the method makes, so that every call gives a new one. */
    record Copied(Tensor tensor) {
    }

    /** An argument given back as it came. */
    record Returned(int argument) {
    }

    /** An argument, a program's or a call's result; {@code own} if its memory must be no other's. */
    record Result(Placed placed, boolean own) {
    }

    private final Attributes attributes;
    private final int valueCount;
    private final int[] arguments;
    private final List<Stage> stages;
    private final Object result;

    /**
     * @param arguments the value of each tensor argument, by its number
     * @param result    with {@link Copied}, {@link Returned} and {@link Result} in place of tensors that are not the model's
     */
    Specialisation(Attributes attributes, int valueCount, int[] arguments, List<Stage> stages, Object result) {
        this.attributes = attributes;
        this.valueCount = valueCount;
        this.arguments = arguments;
        this.stages = stages;
        this.result = result;
    }

    /** Whether the module still is what it was when this was recorded. */
    boolean isCurrent() {
        return attributes.unchanged();
    }

    /**
     * @param tensors the tensors in the arguments, in order
     * @throws ResultMismatchException if a called operator gave something else than at the recording
     */
    Object run(List<Tensor> tensors) {
        Tensor[] values = new Tensor[valueCount];
        for (int i = 0; i < arguments.length; i++) {
            values[arguments[i]] = tensors.get(i);
        }
        for (Stage stage : stages) {
            stage.run(values);
        }
        return Structures.map(result, leaf -> {
            if (leaf instanceof Result r) {
                return r.placed().geometry().place(values[r.placed().value()], r.own());
            }
            if (leaf instanceof Returned returned) {
                return tensors.get(returned.argument());
            }
            return leaf instanceof Copied copied ? Geometry.of(copied.tensor()).place(copied.tensor(), true)
                : leaf instanceof Kept kept ? kept.value() : leaf;
        });
    }

    /** A value of the model's own, not to be copied. */
    record Kept(Object value) {
    }

    /** How many operators are called one by one. */
    int calls() {
        return (int) stages.stream().filter(CallStage.class::isInstance).count();
    }

    ProgramMemory memory() {
        return stages.stream().map(Stage::memory).reduce(ProgramMemory.NONE, ProgramMemory::plus);
    }

    List<String> describe() {
        List<String> lines = new ArrayList<>();
        stages.forEach(stage -> lines.addAll(stage.describe()));
        return lines;
    }
}
