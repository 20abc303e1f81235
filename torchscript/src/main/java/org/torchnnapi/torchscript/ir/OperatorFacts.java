package org.torchnnapi.torchscript.ir;

import java.util.List;

/** What reading code and the passes over graphs ask about operators; whoever defines operators answers. Safe for use by several threads. */
@FunctionalInterface
public interface OperatorFacts {
    /**
     * The overloads of an operator in the order in which calls are matched with them.
     *
     * @param kind for example {@code aten::add}
     * @return empty if the operator is unknown
     */
    List<FunctionSchema> schemas(String kind);
}
