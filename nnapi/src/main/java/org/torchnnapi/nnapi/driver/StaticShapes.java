package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Specialization;

/** The shapes of a model's operands that follow from the model alone, without an execution. */
public final class StaticShapes {
    private StaticShapes() {}

    /**
     * The model with the shapes that it leaves open but that are known by operand, as {@link #of} gives them; those
     * without elements stay open.
     */
    public static Model resolved(Model model, int[][] shapes) {
        Specialization more = new Specialization(model);
        boolean any = false;
        for (int i = 0; i < shapes.length; i++) {
            if (shapes[i] != null && !model.operand(i).descriptor().isFullySpecified()) {
                more.shape(i, shapes[i]);
                any = true;
            }
        }
        return any ? more.finish((operation, input) -> false) : model;
    }

    /**
     * Shapes by operand index: outermost dimension first, null where the shape depends on inputs of an execution.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if an operation does not accept the shapes it gets
     */
    public static int[][] of(Model model) {
        return new ReferenceProgram(model, false).shapes();
    }

    /**
     * The same where the shapes of inputs are known; they may be empty ones.
     *
     * @param inputs by input its shape, null where it is the one that the model says
     */
    public static int[][] of(Model model, int[][] inputs) {
        return new ReferenceProgram(model, false, inputs).shapes();
    }
}
