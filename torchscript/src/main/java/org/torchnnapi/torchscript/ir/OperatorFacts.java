package org.torchnnapi.torchscript.ir;

import java.util.List;

/**
 * What reading code and the passes over graphs ask about operators; whoever defines operators answers. Safe for use by
 * several threads.
 */
@FunctionalInterface
public interface OperatorFacts {
    /**
     * The overloads of an operator in the order in which calls are matched with them.
     *
     * @param kind for example {@code aten::add}
     * @return empty if the operator is unknown
     */
    List<FunctionSchema> schemas(String kind);

    /**
     * Further overloads of an operator that follow from those by rule, such as {@code aten::add.Tensor_out}, which
     * writes into a tensor given: they are tried where none of {@link #schemas} fits.
     */
    default List<FunctionSchema> derived(String kind) {
        return List.of();
    }

    /**
     * The one of {@link #derived} that a file means by an overload's name, or null.
     *
     * @param given how many arguments it is called with, those that receive results included; -1 if that is not said
     */
    default FunctionSchema derived(String kind, String overload, int given) {
        return null;
    }
}
