package org.torchnnapi.converter.lower;

import java.util.List;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Reads the state of packed parameters, which are nested tuples and lists of tensors. */
public final class PackedState {
    private PackedState() {}

    /**
     * Follows indexes into nested tuples and lists.
     *
     * @return the tensor there, or null for None
     */
    public static Tensor tensor(Object state, int... path) {
        Object at = at(state, path);
        if (at != null && !(at instanceof Tensor)) {
            throw malformed(at);
        }
        return (Tensor) at;
    }

    static Object at(Object state, int... path) {
        Object at = state;
        for (int index : path) {
            List<?> items = at instanceof ScriptTuple tuple
                    ? tuple.items()
                    : at instanceof ScriptList list ? list.items() : List.of();
            if (index >= items.size()) {
                throw malformed(at);
            }
            at = items.get(index);
        }
        return at;
    }

    private static Refused malformed(Object found) {
        return new Refused("packed parameters must be complete", String.valueOf(found), "weight and bias tensors");
    }
}
