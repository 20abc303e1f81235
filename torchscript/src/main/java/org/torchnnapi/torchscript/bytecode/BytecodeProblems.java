package org.torchnnapi.torchscript.bytecode;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.source.Upgraders;

/**
 * What keeps a module from being written for a target, told once with its first place, and what it calls by interface.
 */
final class BytecodeProblems {
    private final LiteTarget target;
    private final Map<String, String> found = new LinkedHashMap<>();
    private final Map<ClassType, Set<String>> called = new LinkedHashMap<>();

    BytecodeProblems(LiteTarget target) {
        this.target = target;
    }

    void add(String what, SourceRange place, String reason) {
        found.putIfAbsent(what, (place == null || place.file() == null ? "" : " at " + place) + ": " + reason);
    }

    /** Whether the target has no operator of a node's, or one that means something else. */
    boolean lacks(Node node) {
        return Upgraders.since(node.kind()) > target.fileFormat()
                || !target.has(name(node, OutOverloads.of(node.schema(), target)));
    }

    /** The overload by which the target calls a node's operator; that it has none is a problem. */
    String overload(Node node) {
        String overload = OutOverloads.of(node.schema(), target);
        String name = name(node, overload);
        if (!target.has(name)) {
            add(name, node.range(), "not in " + target.title());
        }
        return overload;
    }

    private static String name(Node node, String overload) {
        return node.schema().name() + (overload.isEmpty() ? "" : "." + overload);
    }

    void called(ClassType type, String method) {
        called.computeIfAbsent(type, t -> new LinkedHashSet<>()).add(method);
    }

    /** Methods that instructions find by name, by the class or interface they are called on. */
    Map<ClassType, Set<String>> called() {
        return called;
    }

    /** @throws BytecodeException if there was a problem */
    void report() {
        if (found.isEmpty()) {
            return;
        }
        StringJoiner text = new StringJoiner("; ");
        found.forEach((what, why) -> text.add(what + why));
        throw new BytecodeException(text + " (expected: what " + target.title() + " runs)");
    }
}
