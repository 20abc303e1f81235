package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.Model;

/**
 * What the definitions of a model's operations say of its values: for drivers that tabulate an operation, or compute
 * with constants beforehand.
 */
public final class Evaluation {
    private Evaluation() {}

    /**
     * Computes once, as the definitions do, slowly.
     *
     * @param request binds every input, and outputs with room for them
     * @throws org.torchnnapi.nnapi.model.NnapiException as an execution
     */
    public static void compute(Model model, ExecutionRequest request) {
        new ReferenceProgram(model, true).execute(request);
    }
}
