package org.torchnnapi.exported;

import java.util.LinkedHashMap;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The tensors that one of a class of its own keeps in its place, as {@code torchao}'s quantized weights do: programs
 * say which of them they take. Python's class is not needed for that, and not looked for.
 */
final class TensorParts {
    /** Called with a function, a class, the function's arguments and attributes. */
    private static final String REBUILT = "torch._tensor._rebuild_from_type_v2";

    private TensorParts() {}

    /**
     * @param saved as {@link SavedTensors#named()} gives it
     * @return tensors by the names of attributes, with dots between names where one is of such a class itself; null if
     *     it is none
     */
    static Map<String, Tensor> of(Object saved) {
        if (!(saved instanceof PickledObject object)
                || !object.className().equals(REBUILT)
                || !(object.state() instanceof ScriptTuple call)
                || call.size() != 4
                || !(call.get(3) instanceof PickledDict attributes)) {
            return null;
        }
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (Map.Entry<Object, Object> entry : attributes.entries()) {
            Map<String, Tensor> inner = of(entry.getValue());
            if (entry.getValue() instanceof Tensor tensor) {
                tensors.put(String.valueOf(entry.getKey()), tensor);
            } else if (inner != null) {
                inner.forEach((part, tensor) -> tensors.put(entry.getKey() + "." + part, tensor));
            }
        }
        return tensors.isEmpty() ? null : tensors;
    }
}
