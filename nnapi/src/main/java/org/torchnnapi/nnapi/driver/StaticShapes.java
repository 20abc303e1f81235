package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.Model;

/** The shapes of a model's operands that follow from the model alone, without an execution. */
public final class StaticShapes {
    private StaticShapes() {
    }

    /**
     * Shapes by operand index: outermost dimension first, null where the shape depends on inputs of an execution.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if an operation does not accept the shapes it gets
     */
    public static int[][] of(Model model) {
        return new ReferenceProgram(model, false).shapes();
    }
}
