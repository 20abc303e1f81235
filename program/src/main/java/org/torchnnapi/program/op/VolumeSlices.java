package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;

/**
 * Volumes of floats of another depth. They lie as batches of their slices, {@code [volumes * depth, ..]}, whose
 * elements lie in any order.
 */
interface VolumeSlices extends Op {
    /** Slices of an input volume. */
    int depth();

    /** Slices of a volume of the result. */
    int outDepth();

    @Override
    default ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        Require.axis(0, in.rank());
        if (in.dimension(0) % depth() != 0) {
            throw new IllegalArgumentException("input: " + in + " (expected: volumes of " + depth() + " slices)");
        }
        int[] shape = in.shape().clone();
        shape[0] = shape[0] / depth() * outDepth();
        return in.withShape(shape);
    }

    @Override
    default ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    @Override
    default LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(1, actual[0]);
    }
}
