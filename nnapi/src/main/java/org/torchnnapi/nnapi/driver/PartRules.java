package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;

/**
 * What a device asks of the parts of models that it is given to prepare. What is not known when a model is compiled,
 * the runtime finds out by executing what comes before: it then has the part prepared for the shapes and values that
 * there are, and keeps what was prepared for the next execution that brings the same.
 */
public interface PartRules {
    /** Any part will do. */
    PartRules NONE = new PartRules() {};

    /** Whether all shapes must be known. None is empty: what computes nothing is nobody's work. */
    default boolean needsShapes() {
        return false;
    }

    /** Whether that input, a tensor or scalar that is not a constant, must be one. */
    default boolean needsValue(Model model, Operation operation, int input) {
        return false;
    }

    /** Whether the operation must be the only one of its part. */
    default boolean standsAlone(Operation operation) {
        return false;
    }
}
