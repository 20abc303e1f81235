package org.torchnnapi.converter.lower;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Moves whole numbers and truth values, which RESHAPE, TRANSPOSE and others do not take, as real numbers. Those of
 * float32 are exact up to 2^24: what may be larger goes in two halves.
 */
final class WholeNumbers {
    /** Whole numbers below this, and above its negative, are exact in float32. */
    static final int EXACT = 1 << 24;

    private static final int HALF = 1 << 16;

    /** Something that keeps the elements of tensors as they are. */
    interface Move {
        OperandRef of(List<OperandRef> parts);
    }

    private WholeNumbers() {}

    /**
     * What numbers of 8 or 16 bits become that began as int32: they begin anew beyond the largest. Those of other
     * dtypes stay.
     */
    static OperandRef wrapped(NnapiBuilder nnapi, OperandRef in, DType dtype) {
        if (!OperandTypes.isShort(dtype)) {
            return in;
        }
        int range = 1 << 8 * dtype.bytes();
        int below = dtype == DType.UINT8 ? 0 : range / 2;
        OperandRef shifted = below == 0 ? in : nnapi.add(in, nnapi.indices(below));
        // DIV rounds down, so that the rest is never negative.
        OperandRef rest = nnapi.sub(shifted, nnapi.mul(nnapi.div(shifted, nnapi.indices(range)), nnapi.indices(range)));
        return nnapi.exact(below == 0 ? rest : nnapi.sub(rest, nnapi.indices(below)));
    }

    static OperandRef moved(NnapiBuilder nnapi, OperandRef in, UnaryOperator<OperandRef> move) {
        return moved(nnapi, List.of(in), parts -> move.apply(parts.get(0)));
    }

    /**
     * Puts a number around. Halves of numbers have halves of it around: the difference from it has 0.
     *
     * @param value is cut off to a whole number; of truth values, true unless it is 0
     * @param pad puts a number around real numbers
     */
    static OperandRef padded(
            NnapiBuilder nnapi, OperandRef in, double value, BiFunction<OperandRef, Double, OperandRef> pad) {
        boolean truth = in.type() == OperandType.TENSOR_BOOL8;
        int whole = truth ? value == 0 ? 0 : 1 : Math.toIntExact((long) value);
        if (whole == 0 || truth || nnapi.isExact(in) && Math.abs((long) whole) < EXACT) {
            return moved(nnapi, in, x -> pad.apply(x, (double) whole));
        }
        OperandRef around = nnapi.indices(whole);
        return nnapi.add(moved(nnapi, nnapi.sub(in, around), x -> pad.apply(x, 0.0)), around);
    }

    /** @param parts of one type, TENSOR_INT32 or TENSOR_BOOL8 */
    static OperandRef moved(NnapiBuilder nnapi, List<OperandRef> parts, Move move) {
        OperandType type = parts.get(0).type();
        if (type == OperandType.TENSOR_BOOL8 || parts.stream().allMatch(nnapi::isExact)) {
            OperandRef made = nnapi.cast(
                    move.of(parts.stream()
                            .map(part -> nnapi.cast(part, OperandType.TENSOR_FLOAT32))
                            .collect(Streams.toList())),
                    type);
            return type == OperandType.TENSOR_INT32 ? nnapi.exact(made) : made;
        }
        return halves(nnapi, parts, move);
    }

    /** @param move keeps elements as they are, or adds some of them up */
    static OperandRef halves(NnapiBuilder nnapi, List<OperandRef> parts, Move move) {
        OperandRef half = nnapi.indices(HALF);
        // DIV rounds down, so that the rest is never negative.
        List<OperandRef> upper =
                parts.stream().map(part -> nnapi.div(part, half)).collect(Streams.toList());
        List<OperandRef> lower = parts.stream()
                .map(part -> nnapi.sub(part, nnapi.mul(nnapi.div(part, half), half)))
                .collect(Streams.toList());
        return nnapi.arithmetic(
                OperationType.ADD, nnapi.mul(through(nnapi, upper, move), half), through(nnapi, lower, move));
    }

    private static OperandRef through(NnapiBuilder nnapi, List<OperandRef> parts, Move move) {
        return nnapi.cast(
                move.of(parts.stream()
                        .map(part -> nnapi.cast(part, OperandType.TENSOR_FLOAT32))
                        .collect(Streams.toList())),
                OperandType.TENSOR_INT32);
    }
}
