package org.torchnnapi.nnapi.op;

import java.util.EnumMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.OperationType;

/** The one list of all operation definitions; a new operation adds its line. */
public final class OperationTable {
    private static final Map<OperationType, OperationDefinition> DEFINITIONS = new EnumMap<>(OperationType.class);

    static {
        register(new Add());
        register(new Conv2d());
        register(new If());
        register(new Reshape());
        register(new Softmax());
        register(new TopKV2());
        register(new While());
    }

    private OperationTable() {
    }

    private static void register(OperationDefinition definition) {
        if (DEFINITIONS.put(definition.type(), definition) != null) {
            throw new IllegalStateException("two definitions of " + definition.type());
        }
    }

    /** The definition of an operation. */
    public static OperationDefinition get(OperationType type) {
        return DEFINITIONS.get(type);
    }
}
