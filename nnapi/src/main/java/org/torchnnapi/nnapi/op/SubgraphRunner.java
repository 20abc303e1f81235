package org.torchnnapi.nnapi.op;

/** Runs a referenced model inside an execution, for IF and WHILE. */
public interface SubgraphRunner {
    /**
     * Runs the model.
     *
     * @param arguments one known value for each of the model's inputs; read, not kept
     * @return one value for each of the model's outputs, overwritten by the next run
     */
    OperandValue[] run(OperandValue[] arguments);

    /** How long one loop may take, in nanoseconds. */
    long loopTimeoutNanos();

    /** @throws org.torchnnapi.nnapi.model.NnapiException if the execution is past its deadline or cancelled */
    void checkpoint();
}
