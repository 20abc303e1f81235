package org.torchnnapi.nnapi.op;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * One operation of a model under validation. A definition asks what the operands are and states its demands with
 * {@code require...}; the first broken one becomes the verdict. A demand on something unknown (rank, dimension) holds.
 */
public abstract class ValidationContext {
    private Signatures signatures;
    private OperandNames names;
    private FeatureLevelNeed need = FeatureLevelNeed.NONE;
    private String problem;
    private String lateProblem;

    protected ValidationContext() {}

    public abstract int inputCount();

    public abstract int outputCount();

    public abstract OperandDescriptor input(int position);

    public abstract OperandDescriptor output(int position);

    public abstract Lifetime inputLifetime(int position);

    /** The bytes of a constant input, little-endian at position 0; null unless it is constant. */
    public abstract ByteBuffer inputValue(int position);

    /** The model a SUBGRAPH input stands for, or null while it has none. */
    public abstract Model inputModel(int position);

    /** Notes what the operation accepts; operands can be asked for by name from here on. */
    final void describe(Signatures accepted) {
        signatures = accepted;
        names = accepted.names(inputCount(), this::type);
    }

    /** The position of the input of this name, the first of several; -1 where the operation lacks it. */
    public final int at(String name) {
        return names.at(name, inputCount());
    }

    /** How many inputs have this name. */
    final int count(String name) {
        return names.count(name, inputCount());
    }

    final int outputAt(String name) {
        return signatures.outputs().at(name, outputCount());
    }

    final int outputCount(String name) {
        return signatures.outputs().count(name, outputCount());
    }

    /** An input for a message. */
    final String told(int position) {
        return "input " + position + " (" + names.name(position, inputCount()) + ")";
    }

    /** Whether the input is there and not marked as left out. */
    public final boolean has(int position) {
        return position >= 0 && position < inputCount() && inputLifetime(position) != Lifetime.NO_VALUE;
    }

    public final OperandType type(int position) {
        return input(position).type();
    }

    /** The declared rank of an input, -1 when unknown. */
    public final int rank(int position) {
        return input(position).hasRank() ? input(position).rank() : -1;
    }

    /** The value of a constant INT32 scalar. */
    public final OptionalInt constantInt(int position) {
        ByteBuffer value = position >= 0 && position < inputCount() ? inputValue(position) : null;
        return value == null || value.remaining() != 4 ? OptionalInt.empty() : OptionalInt.of(value.getInt(0));
    }

    /**
     * Demands something.
     *
     * @param what the thing, such as {@code "stride"}
     * @param found its value
     * @param expected the rule, such as {@code ">= 1"}
     */
    public final void require(boolean holds, String what, Object found, String expected) {
        if (!holds && problem == null) {
            problem = what + ": " + found + " (expected: " + expected + ")";
        }
    }

    /** Whether the values of constants are for executions to check, which do in any case. */
    protected boolean leavesValues() {
        return false;
    }

    /** Demands something of a constant's value that every execution demands again. */
    final void requireValue(boolean holds, String what, Object found, String expected) {
        require(holds || leavesValues(), what, found, expected);
    }

    /**
     * Demands something of the finished model that Android asks only when the operation runs: scales and zero points,
     * above all. Adding the operation to a model does not ask it.
     */
    public final void requireInTheEnd(boolean holds, String what, Object found, String expected) {
        if (!holds && lateProblem == null) {
            lateProblem = what + ": " + found + " (expected: " + expected + ")";
        }
    }

    /** Demands a rank of input {@code position}, where known. */
    public final void requireRank(int position, int rank) {
        int found = has(position) ? rank(position) : -1;
        require(found < 0 || found == rank, "rank of " + told(position), found, String.valueOf(rank));
    }

    /** Demands a constant INT32 input to lie in a range; one that is not constant is checked when executed. */
    public final void requireInt(int position, int low, int high) {
        OptionalInt value = constantInt(position);
        if (value.isPresent() && (value.getAsInt() < low || value.getAsInt() > high)) {
            require(false, told(position), value.getAsInt(), low + " to " + high);
        }
    }

    /** Raises the feature level the operation needs, saying why. */
    public final void needs(FeatureLevel level, String reason) {
        need = need.and(FeatureLevelNeed.of(level, reason));
    }

    /** @param inTheEnd whether what is asked of the finished model counts */
    final Verdict verdict(boolean inTheEnd) {
        String first = problem == null && inTheEnd ? lateProblem : problem;
        return first == null ? Verdict.legal(need) : Verdict.illegal(first);
    }
}
