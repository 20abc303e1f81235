package org.torchnnapi.torchscript.source;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Variables and what they stand for: a value of the graph, or a function, which has no value. Assignments go to the
 * innermost scope; a branch or loop body has its own, whose variables its end joins with those outside. A variable that
 * was declared with a type has that type, whatever it holds at first, until it is assigned again.
 */
final class NameScope {
    private final NameScope parent;
    private final Map<String, Object> variables = new HashMap<>();
    private final Map<String, Type> declared = new HashMap<>();

    NameScope(NameScope parent) {
        this.parent = parent;
    }

    /** A value, function or closure, or null for an unknown name. */
    Object find(String name) {
        for (NameScope scope = this; scope != null; scope = scope.parent) {
            Object found = scope.variables.get(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    void set(String name, Object bound) {
        variables.put(name, bound);
        declared.remove(name);
    }

    /** Sets a variable whose type is not that of the value alone. */
    void set(String name, Value bound, Type type) {
        variables.put(name, bound);
        declared.put(name, type);
    }

    /** What type a variable has, or null if it is none that has a value. */
    Type type(String name) {
        for (NameScope scope = this; scope != null; scope = scope.parent) {
            Object found = scope.variables.get(name);
            if (found != null) {
                return found instanceof Value value ? scope.declared.getOrDefault(name, value.type()) : null;
            }
        }
        return null;
    }

    /** Names assigned in this scope itself. */
    Set<String> assigned() {
        return variables.keySet();
    }
}
