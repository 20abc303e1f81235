package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.runtime.Execution;

/**
 * What a caller binds to an execution's inputs and outputs, checked as C's interface says it: types, lengths and
 * padding, which the runtime's own does not know. Calls throw with the code to answer. Not thread-safe.
 */
final class ExecutionArguments {
    private final CompilationHandle compilation;
    private final Model model;
    private final Execution execution;
    private final boolean[] inputSet;
    private final boolean[] outputSet;
    /** By output, what its type says of its shape; null where no type was given or the output is left out. */
    private final OperandDescriptor[] outputTypes;

    private final List<Requantizer> requantizers = new ArrayList<>(0);
    private boolean bound;
    private boolean padding;

    ExecutionArguments(CompilationHandle compilation, Execution execution) {
        this.compilation = compilation;
        this.execution = execution;
        model = compilation.model();
        inputSet = new boolean[model.inputCount()];
        outputSet = new boolean[model.outputCount()];
        outputTypes = new OperandDescriptor[outputSet.length];
    }

    /**
     * A type that a call gives for an operand.
     *
     * @param dimensions null where the call gives no type
     */
    record Type(int number, int[] dimensions, float scale, int zeroPoint) {
        boolean isGiven() {
            return dimensions != null;
        }

        /** The operand with this type. */
        OperandDescriptor of(String what, OperandDescriptor declared) {
            if (!isGiven()) {
                return declared;
            }
            boolean fits = number == ExtensionCodes.typeNumber(declared);
            fits &= declared.type().isTensor()
                    ? declared.rank() == 0 || declared.rank() == dimensions.length
                    : dimensions.length == 0;
            for (int i = 0; fits && i < declared.rank(); i++) {
                fits = declared.dimension(i) == 0 || declared.dimension(i) == dimensions[i];
            }
            for (int i = 0; fits && i < dimensions.length; i++) {
                fits = dimensions[i] >= 0;
            }
            OperandDescriptor given = declared.withDimensions(dimensions);
            if (!fits) {
                throw Answer.bad(
                        what + ": type " + number + " " + given + " (expected: as declared, " + declared + ")");
            }
            return given;
        }
    }

    void enablePadding(boolean enable) {
        if (bound) {
            throw Answer.badState(
                    "enableInputAndOutputPadding: inputs or outputs are set (expected: before all of them)");
        }
        padding = enable;
    }

    /** @param buffer over the caller's memory; null leaves the input out */
    void setInput(int index, Type type, ByteBuffer buffer) {
        requirePosition("input", index, inputSet.length);
        OperandDescriptor operand = type.of("input " + index, compilation.input(index));
        requireUnset("input", index, inputSet);
        if (buffer != null) {
            requireKnown(index, operand);
            requireLength("input " + index, operand, buffer.capacity());
        }
        execution.setInput(index, requantized(operand, type, buffer), open(index, type));
        inputSet[index] = true;
        bound = true;
    }

    /** The memory is the caller's to keep. */
    void setInputFromMemory(int index, Type type, MemoryHandle memory, long offset, long length) {
        requirePosition("input", index, inputSet.length);
        OperandDescriptor operand = type.of("input " + index, compilation.input(index));
        if (memory.chosen() != null) {
            requireWhole(offset, length);
            requireUnset("input", index, inputSet);
            execution.setInputFromMemory(index, memory.chosen(), 0, 0, type.dimensions);
        } else {
            requireKnown(index, operand);
            ByteBuffer bytes = memory.bytes(offset, length);
            requireLength("input " + index, operand, length);
            requireUnset("input", index, inputSet);
            ByteBuffer read = requantized(operand, type, bytes);
            if (read == bytes && memory.described() != null) {
                execution.setInputFromMemory(index, memory.described(), offset, length, open(index, type));
            } else {
                execution.setInput(index, read, open(index, type));
            }
        }
        inputSet[index] = true;
        bound = true;
    }

    /** @param buffer over the caller's memory; null leaves the output out */
    void setOutput(int index, Type type, ByteBuffer buffer) {
        requirePosition("output", index, outputSet.length);
        OperandDescriptor operand =
                type.of("output " + index, model.output(index).descriptor());
        requireUnset("output", index, outputSet);
        if (buffer != null) {
            requireLength("output " + index, operand, buffer.capacity());
        }
        execution.setOutput(index, buffer);
        outputTypes[index] = buffer != null && type.isGiven() ? operand : null;
        outputSet[index] = true;
        bound = true;
    }

    /** The memory is the caller's to keep. */
    void setOutputFromMemory(int index, Type type, MemoryHandle memory, long offset, long length) {
        requirePosition("output", index, outputSet.length);
        OperandDescriptor operand =
                type.of("output " + index, model.output(index).descriptor());
        if (memory.chosen() != null) {
            requireWhole(offset, length);
            requireUnset("output", index, outputSet);
            execution.setOutputFromMemory(index, memory.chosen(), 0, 0, type.dimensions);
        } else {
            ByteBuffer bytes = memory.bytes(offset, length);
            requireLength("output " + index, operand, length);
            requireUnset("output", index, outputSet);
            if (memory.described() != null) {
                execution.setOutputFromMemory(index, memory.described(), offset, length);
            } else {
                execution.setOutput(index, bytes);
            }
        }
        outputTypes[index] = type.isGiven() ? operand : null;
        outputSet[index] = true;
        bound = true;
    }

    private static void requirePosition(String what, int index, int count) {
        if (index < 0 || index >= count) {
            throw Answer.bad(what + ": " + index + " (expected: 0 to " + (count - 1) + ")");
        }
    }

    void requireOutput(int index) {
        requirePosition("output", index, outputSet.length);
    }

    private static void requireUnset(String what, int index, boolean[] set) {
        if (set[index]) {
            throw Answer.badState(what + " " + index + ": set already (expected: once)");
        }
    }

    private static void requireKnown(int index, OperandDescriptor operand) {
        if (!operand.isFullySpecified()) {
            throw Answer.bad("input " + index + ": " + operand + " (expected: all dimensions given)");
        }
    }

    private static void requireWhole(long offset, long length) {
        if (offset != 0 || length != 0) {
            throw Answer.bad("offset " + offset + ", length " + length
                    + " of a memory of certain roles (expected: 0, 0: the whole)");
        }
    }

    private void requireLength(String what, OperandDescriptor operand, long length) {
        long needed = operand.byteCount();
        if (needed != 0 && (padding ? length < needed : length != needed)) {
            throw Answer.bad(what + ": " + length + " bytes (expected: " + needed + (padding ? " or more)" : ")"));
        }
    }

    /**
     * What is to be read in place of an input that has not the operand's scale and zero point; else the input itself.
     */
    private ByteBuffer requantized(OperandDescriptor operand, Type type, ByteBuffer bytes) {
        Requantizer requantizer = type.isGiven() ? Requantizer.of(operand, type.scale, type.zeroPoint, bytes) : null;
        if (requantizer == null) {
            return bytes;
        }
        requantizers.add(requantizer);
        return requantizer.result();
    }

    /** The shape of an input where the model leaves it open; none where it is settled. */
    private int[] open(int input, Type type) {
        return model.input(input).descriptor().isFullySpecified() ? null : type.dimensions;
    }

    void requireAllBound() {
        for (int i = 0; i < inputSet.length; i++) {
            if (!inputSet[i]) {
                throw Answer.bad("input " + i + ": not set (expected: setInput)");
            }
        }
        for (int i = 0; i < outputSet.length; i++) {
            if (!outputSet[i]) {
                throw Answer.bad("output " + i + ": not set (expected: setOutput)");
            }
        }
    }

    void requireOutputShapes() {
        for (int i = 0; i < outputTypes.length; i++) {
            OperandDescriptor type = outputTypes[i] == null ? model.output(i).descriptor() : outputTypes[i];
            if (!type.isFullySpecified()) {
                throw Answer.bad("output " + i + ": " + type + " (expected: all dimensions known)");
            }
        }
    }

    /** Reads the caller's bytes as they are now, where they are not read in place. */
    void read() {
        for (Requantizer requantizer : requantizers) {
            requantizer.run();
        }
    }

    /** Whether every output has the shape which its type gave it, whatever the room. */
    boolean hasGivenShapes() {
        for (int i = 0; i < outputTypes.length; i++) {
            if (outputTypes[i] != null) {
                int[] computed = shape(i);
                boolean fits = outputTypes[i].rank() == 0 || outputTypes[i].rank() == computed.length;
                for (int j = 0; fits && j < outputTypes[i].rank(); j++) {
                    fits = outputTypes[i].dimension(j) == 0
                            || computed[j] == 0
                            || outputTypes[i].dimension(j) == computed[j];
                }
                if (!fits) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The shape of an output, or, where the execution did not come so far, what is declared of it. */
    int[] shape(int output) {
        try {
            return execution.outputDimensions(output);
        } catch (NnapiException notKnown) {
            return (outputTypes[output] != null
                            ? outputTypes[output]
                            : model.output(output).descriptor())
                    .dimensions();
        }
    }
}
