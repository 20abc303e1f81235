package org.torchnnapi.c;

import java.util.Objects;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;

/** The description of a memory by its roles. */
final class MemoryDescHandle extends Handle {
    private final MemoryDescription description = new MemoryDescription();
    private OperandDescriptor operand;
    private boolean shaped;
    private boolean finished;

    private MemoryDescHandle() {}

    static long create() {
        try {
            return new MemoryDescHandle().id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    static void free(long id) {
        MemoryDescHandle handle = find(id, MemoryDescHandle.class);
        if (handle != null) {
            handle.free();
        }
    }

    private static MemoryDescHandle open(long id) {
        MemoryDescHandle handle = get(id, MemoryDescHandle.class);
        if (handle.finished) {
            throw Answer.badState("memory description: finished (expected: before finish)");
        }
        return handle;
    }

    static int addRole(long id, long compilationId, boolean input, int index, float frequency) {
        try {
            MemoryDescHandle handle = open(id);
            Compilation compilation = compilation(get(compilationId, CompilationHandle.class));
            int count = input
                    ? compilation.model().inputCount()
                    : compilation.model().outputCount();
            if (index < 0 || index >= count) {
                throw Answer.bad((input ? "input: " : "output: ") + index + " (expected: 0 to " + (count - 1) + ")");
            }
            OperandDescriptor other = (input
                            ? compilation.model().input(index)
                            : compilation.model().output(index))
                    .descriptor();
            handle.requireAlike(other);
            if (input) {
                handle.description.addInputRole(compilation, index, frequency);
            } else {
                handle.description.addOutputRole(compilation, index, frequency);
            }
            handle.operand = other;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    private static Compilation compilation(CompilationHandle handle) {
        try {
            return handle.compilation();
        } catch (NnapiException unfinished) {
            throw Answer.bad(unfinished.getMessage());
        }
    }

    /** What the runtime's description does not compare: scales of channels, and shapes that scalars cannot have. */
    private void requireAlike(OperandDescriptor other) {
        if (operand != null && !Objects.equals(operand.channelQuantization(), other.channelQuantization())) {
            throw Answer.bad("role of " + other + " (expected: with the channels' scales of the other roles)");
        }
        if (shaped && !other.type().isTensor()) {
            throw Answer.bad("role of " + other + " (expected: a tensor, as dimensions were set)");
        }
    }

    static int setDimensions(long id, int[] dimensions) {
        try {
            MemoryDescHandle handle = open(id);
            if (handle.operand != null && !handle.operand.type().isTensor() && dimensions.length > 0) {
                throw Answer.bad(
                        "dimensions: " + dimensions.length + " (expected: none for " + handle.operand.type() + ")");
            }
            handle.description.setDimensions(dimensions);
            handle.shaped |= dimensions.length > 0;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int finish(long id) {
        try {
            MemoryDescHandle handle = open(id);
            if (handle.operand == null) {
                throw Answer.bad("roles: 0 (expected: at least one)");
            }
            handle.finished = true;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    Memory createMemory() {
        if (!finished) {
            throw Answer.badState("memory description: not finished (expected: finish first)");
        }
        return description.createMemory();
    }
}
