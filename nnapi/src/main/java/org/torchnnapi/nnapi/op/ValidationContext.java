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
    private FeatureLevelNeed need = FeatureLevelNeed.NONE;
    private String problem;
    private String lateProblem;

    protected ValidationContext() {
    }

    public abstract int inputCount();

    public abstract int outputCount();

    public abstract OperandDescriptor input(int position);

    public abstract OperandDescriptor output(int position);

    public abstract Lifetime inputLifetime(int position);

    /** The bytes of a constant input, little-endian at position 0; null unless it is constant. */
    public abstract ByteBuffer inputValue(int position);

    /** The model a SUBGRAPH input stands for, or null while it has none. */
    public abstract Model inputModel(int position);

    /** Whether the input is there and not marked as left out. */
    public final boolean has(int position) {
        return position < inputCount() && inputLifetime(position) != Lifetime.NO_VALUE;
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
        ByteBuffer value = position < inputCount() ? inputValue(position) : null;
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

    /**
     * Demands something of the finished model that Android asks only when the operation runs: scales and zero points, above all. Adding
     * the operation to a model does not ask it.
     */
    public final void requireInTheEnd(boolean holds, String what, Object found, String expected) {
        if (!holds && lateProblem == null) {
            lateProblem = what + ": " + found + " (expected: " + expected + ")";
        }
    }

    /** Demands a rank of input {@code position}, where known. */
    public final void requireRank(int position, int rank) {
        requireRank(position, rank, rank);
    }

    /** Demands a rank from {@code low} to {@code high} of input {@code position}, where known. */
    public final void requireRank(int position, int low, int high) {
        if (position < inputCount() && has(position)) {
            int rank = rank(position);
            if (rank >= 0 && (rank < low || rank > high)) {
                require(false, "rank of input " + position, rank, low == high ? String.valueOf(low) : low + " to " + high);
            }
        }
    }

    /** The same of the finished model only; see {@link #requireInTheEnd}. */
    public final void requireRankInTheEnd(int position, int rank) {
        int found = position < inputCount() && has(position) ? rank(position) : -1;
        requireInTheEnd(found < 0 || found == rank, "rank of input " + position, found, String.valueOf(rank));
    }

    /** Demands a constant INT32 input to lie in a range; one that is not constant is checked when executed. */
    public final void requireInt(int position, int low, int high) {
        OptionalInt value = constantInt(position);
        if (value.isPresent() && (value.getAsInt() < low || value.getAsInt() > high)) {
            require(false, "input " + position, value.getAsInt(), low + " to " + high);
        }
    }

    /** Demands equal scale and zero point of input {@code position} and output {@code output}. */
    public final void requireSameQuantization(int position, int output) {
        OperandDescriptor in = input(position);
        OperandDescriptor out = output(output);
        if (in.type().isQuantized() && (in.scale() != out.scale() || in.zeroPoint() != out.zeroPoint())) {
            requireInTheEnd(false, "quantization of output " + output, out.scale() + "/" + out.zeroPoint(),
                    "that of input " + position + ", " + in.scale() + "/" + in.zeroPoint());
        }
    }

    /** Demands a scale and zero point of output {@code output} if it is quantized. */
    public final void requireOutputQuantization(int output, float scale, int zeroPoint) {
        OperandDescriptor out = output(output);
        if (out.type().isQuantized() && (out.scale() != scale || out.zeroPoint() != zeroPoint)) {
            requireInTheEnd(false, "quantization of output " + output, out.scale() + "/" + out.zeroPoint(), scale + "/" + zeroPoint);
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
