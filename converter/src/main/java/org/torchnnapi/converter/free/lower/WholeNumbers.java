package org.torchnnapi.converter.free.lower;

import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Moves whole numbers and truth values, which RESHAPE, TRANSPOSE and others do not take, as real numbers. Those of float32 are
 * exact up to 2^24: what may be larger goes in two halves.
 */
final class WholeNumbers {
    /** Whole numbers below this, and above its negative, are exact in float32. */
    static final int EXACT = 1 << 24;
    private static final int HALF = 1 << 16;

    /** Something that keeps the elements of tensors as they are. */
    interface Move {
        Term of(List<Term> parts);
    }

    private WholeNumbers() {
    }

    /** What numbers of 8 or 16 bits become that began as int32: they begin anew beyond the largest. Those of other dtypes stay. */
    static Term wrapped(NetBuilder net, Term in, DType dtype) {
        if (!OperandTypes.isShort(dtype)) {
            return in;
        }
        int range = 1 << 8 * dtype.bytes();
        int below = dtype == DType.UINT8 ? 0 : range / 2;
        Term shifted = below == 0 ? in : net.add(in, net.indices(below));
        // DIV rounds down, so that the rest is never negative.
        Term rest = net.sub(shifted, net.mul(net.div(shifted, net.indices(range)), net.indices(range)));
        return net.exact(below == 0 ? rest : net.sub(rest, net.indices(below)));
    }

    static Term moved(NetBuilder net, Term in, UnaryOperator<Term> move) {
        return moved(net, List.of(in), parts -> move.apply(parts.get(0)));
    }

    /** @param parts of one type, TENSOR_INT32 or TENSOR_BOOL8 */
    static Term moved(NetBuilder net, List<Term> parts, Move move) {
        OperandType type = parts.get(0).type();
        if (type == OperandType.TENSOR_BOOL8 || parts.stream().allMatch(net::isExact)) {
            Term made = net.cast(move.of(parts.stream().map(part -> net.cast(part, OperandType.TENSOR_FLOAT32)).collect(Streams.toList())), type);
            return type == OperandType.TENSOR_INT32 ? net.exact(made) : made;
        }
        return halves(net, parts, move);
    }

    /** @param move keeps elements as they are, or adds some of them up */
    static Term halves(NetBuilder net, List<Term> parts, Move move) {
        Term half = net.indices(HALF);
        // DIV rounds down, so that the rest is never negative.
        List<Term> upper = parts.stream().map(part -> net.div(part, half)).collect(Streams.toList());
        List<Term> lower = parts.stream().map(part -> net.sub(part, net.mul(net.div(part, half), half))).collect(Streams.toList());
        return net.arithmetic(OperationType.ADD, net.mul(through(net, upper, move), half), through(net, lower, move));
    }

    private static Term through(NetBuilder net, List<Term> parts, Move move) {
        return net.cast(move.of(parts.stream().map(part -> net.cast(part, OperandType.TENSOR_FLOAT32)).collect(Streams.toList())), OperandType.TENSOR_INT32);
    }
}
