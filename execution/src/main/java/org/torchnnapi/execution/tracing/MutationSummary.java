package org.torchnnapi.execution.tracing;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Whether a method of a module may write to what outlives a call: attributes of modules, and tensors, lists and dicts
 * that it did not make. A finding holds as long as the truth values of attributes that it went by, such as
 * {@code training}, are what they were. For use by several threads.
 */
public final class MutationSummary {
    private final boolean may;
    private final List<MutationAnalysis.Assumption> assumptions;
    /** {@link ScriptObject#changes} when the assumptions were last seen to hold. */
    private volatile long seen;

    private MutationSummary(boolean may, List<MutationAnalysis.Assumption> assumptions, long seen) {
        this.may = may;
        this.assumptions = assumptions;
        this.seen = seen;
    }

    /**
     * Conservative.
     *
     * @param module the module that the function is a method of
     */
    public static MutationSummary of(
            org.torchnnapi.torchscript.ir.Function method,
            ScriptObject module,
            Function<String, CustomClass> customClasses) {
        long changes = ScriptObject.changes();
        MutationAnalysis writes = new MutationAnalysis(
                customClasses, holdsObjects(module.type(), Collections.newSetFromMap(new IdentityHashMap<>())));
        return new MutationSummary(writes.last(method, module), writes.assumptions(), changes);
    }

    /** Whether the method may. */
    public boolean may() {
        return may;
    }

    /** Whether that is still known. */
    public boolean holds() {
        long changes = ScriptObject.changes();
        if (changes != seen) {
            if (!assumptions.stream().allMatch(MutationAnalysis.Assumption::holds)) {
                return false;
            }
            seen = changes;
        }
        return true;
    }

    private static boolean holdsObjects(Type declared, Set<ClassType> seen) {
        if (!(TypeRelations.unwrapOptional(declared) instanceof ClassType type)) {
            return declared instanceof Type.ListType list && holdsObjects(list.element(), seen)
                    || declared instanceof Type.DictType dict && holdsObjects(dict.value(), seen);
        }
        return type.kind() == ClassType.Kind.OBJECT
                || seen.add(type)
                        && type.attributes().stream().anyMatch(attribute -> holdsObjects(attribute.type(), seen));
    }
}
