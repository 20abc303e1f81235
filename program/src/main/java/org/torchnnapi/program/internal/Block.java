package org.torchnnapi.program.internal;

import java.util.List;
import java.util.stream.Collectors;
import org.torchnnapi.program.Op;

/** Convolutions done together, of floats or of bytes. */
interface Block extends Op {
    /** In the order of their work. */
    List<? extends Op> stages();

    @Override
    default long packedBytes() {
        return stages().stream().mapToLong(Op::packedBytes).sum();
    }

    @Override
    default String label() {
        return stages().stream().map(Op::label).collect(Collectors.joining(", ", "chain: ", ""));
    }
}
