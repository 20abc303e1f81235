package org.torchnnapi.nnapi.model;

/** Where an operand's value comes from. */
public enum Lifetime {
    /** Written by one operation, read by others. */
    TEMPORARY_VARIABLE,
    /** Given by the caller at each execution. */
    SUBGRAPH_INPUT,
    /** Written by one operation and handed to the caller. */
    SUBGRAPH_OUTPUT,
    /** A constant copied into the model. */
    CONSTANT_COPY,
    /** A constant that stays where the caller put it. */
    CONSTANT_REFERENCE,
    /** An optional operand left out. */
    NO_VALUE,
    /** A referenced model. */
    SUBGRAPH;

    /** Whether its value is known before the model runs. */
    public boolean isConstant() {
        return this == CONSTANT_COPY || this == CONSTANT_REFERENCE;
    }
}
