package org.torchnnapi.execution;

import org.torchnnapi.execution.tracing.lower.Lowerings;

/** Which operators become operations of programs; the others are run one by one by their plain implementations. */
public final class CompiledOperators {
    private CompiledOperators() {}

    /**
     * Whether calls of an operator can be compiled, for arguments that suit; in-place forms are compiled as what they
     * overwrite with.
     *
     * @param kind for example {@code aten::relu}
     */
    public static boolean includes(String kind) {
        boolean inPlace = kind.endsWith("_") && !kind.endsWith("__");
        return Lowerings.of(kind) != null || inPlace && Lowerings.of(kind.substring(0, kind.length() - 1)) != null;
    }
}
