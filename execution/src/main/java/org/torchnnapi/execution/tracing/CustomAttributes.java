package org.torchnnapi.execution.tracing;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import org.torchnnapi.operators.packed.PackedClasses;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.CustomClass;

/** The custom classes among the attributes of modules. */
final class CustomAttributes {
    private static final Set<String> PACKED = new HashSet<>();

    static {
        for (CustomClass packed : PackedClasses.ALL) {
            PACKED.add(packed.qualifiedName());
        }
    }

    private final Set<ClassType> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private CustomAttributes() {}

    /**
     * Whether a class, and all that its attributes are declared as, has attributes of no custom classes but those for
     * packed weights.
     */
    static boolean areAllPacked(ClassType type) {
        return new CustomAttributes().arePacked(type);
    }

    private boolean arePacked(Type declared) {
        if (!(TypeRelations.unwrapOptional(declared) instanceof ClassType type)) {
            return true;
        }
        if (type.kind() == ClassType.Kind.CUSTOM) {
            return PACKED.contains(type.name());
        }
        return !seen.add(type) || type.attributes().stream().allMatch(attribute -> arePacked(attribute.type()));
    }
}
