package org.torchnnapi.torchscript.source;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Variables and what they stand for: a value of the graph, or a function, which has no value. Assignments go to the
 * innermost scope; a branch or loop body has its own, whose variables its end joins with those outside.
 */
final class NameScope {
    private final NameScope parent;
    private final Map<String, Object> variables = new HashMap<>();

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
    }

    /** Names assigned in this scope itself. */
    Set<String> assigned() {
        return variables.keySet();
    }
}
