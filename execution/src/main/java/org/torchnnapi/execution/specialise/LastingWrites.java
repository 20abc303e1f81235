package org.torchnnapi.execution.specialise;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.Callee;
import org.torchnnapi.torchscript.value.CustomClass;

/** Whether functions may write to what outlives a call: attributes of modules, and tensors, lists and dicts that they did not make. */
public final class LastingWrites {
    private final Function<String, CustomClass> customClasses;
    /** Whether objects that are no modules may be attributes of one; otherwise a call makes them. */
    private final boolean objectsLast;
    private final Set<org.torchnnapi.torchscript.ir.Function> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private LastingWrites(Function<String, CustomClass> customClasses, boolean objectsLast) {
        this.customClasses = customClasses;
        this.objectsLast = objectsLast;
    }

    /**
     * Conservative.
     *
     * @param module the class of the module that the function is a method of
     */
    public static boolean may(org.torchnnapi.torchscript.ir.Function function, ClassType module, Function<String, CustomClass> customClasses) {
        boolean objectsLast = holdsObjects(module, Collections.newSetFromMap(new IdentityHashMap<>()));
        return Writes.mayChangeTensors(function, customClasses) || new LastingWrites(customClasses, objectsLast).sets(function);
    }

    private static boolean holdsObjects(Type declared, Set<ClassType> seen) {
        if (!(TypeRelations.unwrapOptional(declared) instanceof ClassType type)) {
            return declared instanceof Type.ListType list && holdsObjects(list.element(), seen)
                || declared instanceof Type.DictType dict && holdsObjects(dict.value(), seen);
        }
        return type.kind() == ClassType.Kind.OBJECT
            || seen.add(type) && type.attributes().stream().anyMatch(attribute -> holdsObjects(attribute.type(), seen));
    }

    private boolean sets(org.torchnnapi.torchscript.ir.Function function) {
        return function.hasBody() && seen.add(function) && sets(function.representative().graph().block());
    }

    private boolean sets(Block block) {
        for (Node node : block.nodes()) {
            if (node.is("prim::SetAttr") && (objectsLast || !(node.input(0).type() instanceof ClassType type)
                || type.kind() != ClassType.Kind.OBJECT)) {
                return true;
            }
            if ((node.is("prim::CallMethod") || node.is("prim::CallFunction")) && Callee.of(node, customClasses) instanceof Callee.Body body
                && sets(body.function())) {
                return true;
            }
            for (Block inner : node.blocks()) {
                if (sets(inner)) {
                    return true;
                }
            }
        }
        return false;
    }
}
