package org.torchnnapi.optimizer;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * The objects that frozen methods still use, with the attributes they use and no others, each with a class of its own.
 */
final class ReducedObjects {
    private static final int FIRST_MANGLE = 10_000;

    private final ScriptObject root;
    private final Map<ScriptObject, Set<String>> used = new IdentityHashMap<>();
    /** Objects that are more than read and written by attribute: they and their classes stay as they are. */
    private final Set<ScriptObject> whole = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Map<Value, ScriptObject> values = new IdentityHashMap<>();
    private final Map<ScriptObject, ScriptObject> made = new IdentityHashMap<>();
    private final Map<String, Integer> names = new HashMap<>();

    ReducedObjects(ScriptObject root) {
        this.root = root;
        used.put(root, new LinkedHashSet<>());
    }

    /** Notes what a method uses of the module, its first input. */
    void add(Graph graph) {
        values.put(graph.inputs().get(0), root);
        block(graph.block());
    }

    void keep(String attribute) {
        if (root.type().slot(attribute) >= 0) {
            used.get(root).add(attribute);
        }
    }

    private void block(Block block) {
        for (Node node : block.nodes()) {
            ScriptObject owner = node.inputs().isEmpty() ? null : values.get(node.input(0));
            if (owner != null && (node.is(Prim.GET_ATTR) || node.is(Prim.SET_ATTR))) {
                String name = (String) node.attribute("name");
                used.computeIfAbsent(owner, o -> new LinkedHashSet<>()).add(name);
                if (node.is(Prim.GET_ATTR) && owner.get(name) instanceof ScriptObject child) {
                    values.put(node.output(), child);
                }
            }
            for (int i = 0; i < node.inputs().size(); i++) {
                escapes(node, i);
            }
            node.blocks().forEach(this::block);
        }
        for (int i = 0; i < block.results().size(); i++) {
            escapes(block.returns(), i);
        }
    }

    private void escapes(Node node, int input) {
        ScriptObject object = values.get(node.input(input));
        if (object == null || input == 0 && (node.is(Prim.GET_ATTR) || node.is(Prim.SET_ATTR))) {
            return;
        }
        if (object == root) {
            throw new IllegalArgumentException(node.kind() + " at " + node.range()
                    + ": takes the module itself (expected: a module that is used by its attributes)");
        }
        whole.add(object);
    }

    /** The module with what is used of it; types of the graphs that were added follow. */
    ScriptObject reduced() {
        ScriptObject reduced = reduce(root);
        values.forEach((value, object) -> value.type(reduce(object).type()));
        return reduced;
    }

    private ScriptObject reduce(ScriptObject object) {
        ScriptObject known = made.get(object);
        if (known != null) {
            return known;
        }
        if (whole.contains(object)) {
            made.put(object, object);
            return object;
        }
        ClassType type = new ClassType(name(object.type().name()), object.type().kind());
        List<ClassType.Attribute> attributes = object.type().attributes();
        Set<String> wanted = used.getOrDefault(object, Set.of());
        for (ClassType.Attribute attribute : attributes) {
            if (wanted.contains(attribute.name())) {
                Type declared = object.get(attribute.name()) instanceof ScriptObject child
                        ? reduce(child).type()
                        : attribute.type();
                type.addAttribute(new ClassType.Attribute(
                        attribute.name(), declared, attribute.isParameter(), attribute.isBuffer()));
            }
        }
        ScriptObject reduced = new ScriptObject(type);
        made.put(object, reduced);
        for (ClassType.Attribute attribute : type.attributes()) {
            Object value = object.get(attribute.name());
            reduced.set(attribute.name(), value instanceof ScriptObject child ? reduce(child) : value);
        }
        return reduced;
    }

    /** Objects of one class may now differ in their attributes, so that each gets a class. */
    private String name(String original) {
        int count = names.merge(original, 1, Integer::sum);
        int dot = original.lastIndexOf('.');
        return count == 1
                ? original
                : original.substring(0, dot) + ".___torch_mangle_" + (FIRST_MANGLE + count) + original.substring(dot);
    }
}
