package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.ValueType;

/**
 * What functions of one value, element for element, have in common: any storage serves, and the result may take the
 * input's place.
 */
interface ElementwiseOp extends Op {
    /** Whether the elements that fill up blocks of channels must not be computed with, lest they become infinite. */
    default boolean isExact() {
        return false;
    }

    @Override
    default ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    @Override
    default LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.alike(inputs, actual, isExact());
    }

    @Override
    default Op expanded(int rank, int axis) {
        return this;
    }

    @Override
    default boolean overwrites(Operands operands, int input) {
        return true;
    }
}
