package org.torchnnapi.program.internal;

import java.util.List;
import java.util.stream.Collectors;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;

/** Convolutions done together, of floats or of bytes. */
interface BlockOp extends Op {
    /** In the order of their work. */
    List<? extends Op> stages();

    /** Of the last stage. */
    ConvShape shape();

    @Override
    default long packedBytes() {
        return stages().stream().mapToLong(Op::packedBytes).sum();
    }

    /** Every weight counts as often as one of the last stage, whose pixels are the fewest. */
    @Override
    default long weightWork(Operands operands) {
        return packedBytes(operands) * operands.out().type().dimension(0) * shape().outH() * shape().outW();
    }

    @Override
    default String label() {
        return stages().stream().map(Op::label).collect(Collectors.joining(", ", "chain: ", ""));
    }
}
