package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Joins a module's method with everything it calls into one graph, and replaces attributes that never change by
 * constants. Attributes that some inlined code sets, or writes to in place, stay {@code prim::GetAttr}. Modules count
 * as being in evaluation mode.
 */
public final class Freeze {
    private static final String TRAINING = "training";
    private static final int MAX_DEPTH = 400;
    private static final int MAX_NODES = 100_000;

    private final Graph graph;
    private final Map<Value, ScriptObject> objects = new IdentityHashMap<>();
    /** Where the objects were first found, from the root. */
    private final Map<ScriptObject, String> paths = new IdentityHashMap<>();
    /** Attributes that code sets, by object. */
    private final Map<ScriptObject, Set<String>> assigned = new IdentityHashMap<>();
    /** Attributes set on objects that are not known. */
    private final Set<String> assignedAnywhere = new HashSet<>();
    /** What is put into attributes of each name. */
    private final Map<String, List<Value>> put = new HashMap<>();
    /** Memory of attributes that is written to in place. */
    private final Set<Storage> written = Collections.newSetFromMap(new IdentityHashMap<>());

    private int nodes;

    private Freeze(Graph graph) {
        this.graph = graph;
    }

    /**
     * @param root module to freeze; not changed
     * @param method usually {@code forward}
     * @return a graph whose first input is still the module, unused unless some attribute or call could not be resolved
     * @throws IllegalArgumentException if there is no such method, or calls nest too deeply or grow too large
     */
    public static Graph run(ScriptObject root, String method) {
        return run(root, method, Set.of());
    }

    /** @param changing names of attributes that stay attributes, as other methods change them */
    public static Graph run(ScriptObject root, String method, Set<String> changing) {
        Function function = root.type().method(method);
        if (function == null) {
            throw new IllegalArgumentException("method: " + method + " (expected: a method of "
                    + root.type().name() + ")");
        }
        Freeze freeze = new Freeze(BlockCopy.of(function.graph()));
        freeze.assignedAnywhere.addAll(changing);
        freeze.objects.put(freeze.graph.inputs().get(0), root);
        freeze.paths.put(root, "");
        freeze.inline(freeze.graph.block(), 0);
        ForkInlining.run(freeze.graph);
        ContextManagerElimination.run(freeze.graph);
        takeBranches(freeze.graph.block());
        freeze.evaluate();
        freeze.collectAssignments(freeze.graph.block());
        freeze.collectPut(freeze.graph.block());
        freeze.collectWrites(freeze.graph.block());
        freeze.replaceAttributes(freeze.graph.block());
        DeadCode.run(freeze.graph);
        return freeze.graph;
    }

    /**
     * A method with everything it calls in one graph, whose nodes know the paths of their modules; nothing is frozen.
     *
     * @throws IllegalArgumentException as {@link #run(ScriptObject, String)}
     */
    public static Graph inlined(ScriptObject root, String method) {
        Freeze freeze = new Freeze(BlockCopy.of(root.type().method(method).graph()));
        freeze.objects.put(freeze.graph.inputs().get(0), root);
        freeze.paths.put(root, "");
        freeze.inline(freeze.graph.block(), 0);
        return freeze.graph;
    }

    /**
     * Names of attributes, of whatever object, whose memory a method writes to in place.
     *
     * @throws IllegalArgumentException as {@link #run(ScriptObject, String)}
     */
    public static Set<String> written(ScriptObject root, String method) {
        Freeze freeze = new Freeze(BlockCopy.of(root.type().method(method).graph()));
        freeze.objects.put(freeze.graph.inputs().get(0), root);
        freeze.inline(freeze.graph.block(), 0);
        ForkInlining.run(freeze.graph);
        takeBranches(freeze.graph.block());
        freeze.evaluate();
        freeze.collectPut(freeze.graph.block());
        freeze.collectWrites(freeze.graph.block());
        Set<String> names = new HashSet<>(freeze.assignedAnywhere);
        freeze.assigned.values().forEach(names::addAll);
        return names;
    }

    private void inline(Block block, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("call depth: " + depth + " (expected: at most " + MAX_DEPTH
                    + "; recursive methods cannot be converted)");
        }
        for (Node node : List.copyOf(block.nodes())) {
            if (++nodes > MAX_NODES) {
                throw new IllegalArgumentException("nodes with all calls inlined: more than " + MAX_NODES
                        + " (expected: a model of ordinary size; check for methods that call each other repeatedly)");
            }
            switch (node.kind()) {
                case Prim.GET_ATTR -> {
                    ScriptObject owner = objects.get(node.input(0));
                    if (owner != null && owner.get((String) node.attribute("name")) instanceof ScriptObject child) {
                        objects.put(node.output(), child);
                        String above = paths.getOrDefault(owner, "");
                        paths.putIfAbsent(child, (above.isEmpty() ? "" : above + ".") + node.attribute("name"));
                    }
                }
                case Prim.CALL_METHOD -> {
                    Function callee = methodOf(node);
                    if (callee != null && callee.hasBody()) {
                        expand(node, callee, depth);
                    }
                }
                case Prim.CALL_FUNCTION -> expand(node, (Function) node.attribute("function"), depth);
                default -> {
                    for (Block inner : node.blocks()) {
                        inline(inner, depth);
                    }
                }
            }
        }
    }

    private Function methodOf(Node node) {
        String name = (String) node.attribute("name");
        ScriptObject known = objects.get(node.input(0));
        if (known != null) {
            return known.type().method(name);
        }
        Type type = node.input(0).type();
        return type instanceof ClassType owner && owner.kind() != ClassType.Kind.CUSTOM ? owner.method(name) : null;
    }

    private void expand(Node call, Function callee, int depth) {
        ScriptObject owner = call.is(Prim.CALL_METHOD) ? objects.get(call.input(0)) : null;
        List<Value> results = Inlining.before(call, callee.graph(), inner -> {
            mark(inner, owner == null ? call.range().module() : paths.getOrDefault(owner, ""));
            inline(inner, depth + 1);
        });
        for (int i = 0; i < call.outputs().size(); i++) {
            if (objects.containsKey(results.get(i))) {
                objects.put(call.output(i), objects.get(results.get(i)));
            }
            call.output(i).replaceAllUsesWith(results.get(i));
        }
        call.destroy();
    }

    private static void mark(Block block, String module) {
        for (Node node : block.nodes()) {
            node.range(node.range().in(module));
            node.blocks().forEach(inner -> mark(inner, module));
        }
    }

    /** What is written only where an argument is not, such as {@code inplace}, is not written. */
    private static void takeBranches(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(Freeze::takeBranches);
            if (node.is(Prim.IF)
                    && Literals.of(node.input(0)).isPresent()
                    && Literals.of(node.input(0)).get().value() instanceof Boolean taken) {
                ControlFlowFolding.take(node, node.blocks().get(taken ? 0 : 1));
            }
        }
    }

    private void collectAssignments(Block block) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.SET_ATTR)) {
                String name = (String) node.attribute("name");
                ScriptObject owner = objects.get(node.input(0));
                if (owner == null) {
                    assignedAnywhere.add(name);
                } else {
                    assigned.computeIfAbsent(owner, o -> new HashSet<>()).add(name);
                }
            }
            node.blocks().forEach(this::collectAssignments);
        }
    }

    private void collectPut(Block block) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.SET_ATTR)) {
                put.computeIfAbsent((String) node.attribute("name"), n -> new ArrayList<>(1))
                        .add(node.input(1));
            }
            node.blocks().forEach(this::collectPut);
        }
    }

    private void collectWrites(Block block) {
        for (Node node : block.nodes()) {
            FunctionSchema schema = node.schema();
            if (Effects.writesStatistics(node)) {
                for (String statistic : new String[] {"running_mean", "running_var"}) {
                    Value input = node.input(schema.indexOf(statistic));
                    written(input, true, Collections.newSetFromMap(new IdentityHashMap<>()));
                }
            }
            for (int i = 0; schema != null && i < node.inputs().size(); i++) {
                if (Effects.writes(node, i)) {
                    Value input = node.input(i);
                    written(
                            input,
                            input.type() == Type.Basic.TENSOR,
                            Collections.newSetFromMap(new IdentityHashMap<>()));
                }
            }
            node.blocks().forEach(this::collectWrites);
        }
    }

    /**
     * Finds the attributes that a value which is written to may be, or be a view of.
     *
     * @param items whether what lists and tuples hold is written to, rather than a container itself
     */
    private void written(Value value, boolean items, Set<Value> seen) {
        if (!seen.add(value)) {
            return;
        }
        if (items && value.type() != Type.Basic.TENSOR) {
            // What was put into a list or dict after it was made.
            for (Value.Use use : value.uses()) {
                if (Effects.writes(use.user(), use.index())) {
                    use.user().inputs().stream()
                            .filter(input -> input != value && changes(input.type()))
                            .forEach(input -> written(input, true, seen));
                }
            }
        }
        Node from = value.definition();
        if (from == null) {
            Node loop = value.parameterOf() == null ? null : value.parameterOf().parent();
            if (loop != null && value.index() > 0) {
                written(loop.input(value.index() + 1), items, seen);
                written(loop.blocks().get(0).results().get(value.index()), items, seen);
            }
        } else if (from.is(Prim.GET_ATTR)) {
            String name = (String) from.attribute("name");
            attributeWritten(objects.get(from.input(0)), name);
            // What the attribute was set to is written to as well.
            put.getOrDefault(name, List.of()).forEach(given -> written(given, items, seen));
        } else if (from.is(Prim.IF)) {
            from.blocks().forEach(block -> written(block.results().get(value.index()), items, seen));
        } else if (from.is(Prim.LOOP)) {
            written(from.input(value.index() + 2), items, seen);
            written(from.blocks().get(0).results().get(value.index() + 1), items, seen);
        } else if (!from.is(Prim.CONSTANT) && (items || !from.kind().endsWith("Construct"))) {
            for (int i = 0; i < from.inputs().size(); i++) {
                Type given = from.input(i).type();
                // Of a list's copy, the list is another; what it holds is the same.
                boolean another = !items && given.equals(value.type()) && isNew(from, value);
                if (!another && changes(given) && PointsTo.mayShare(from, i, value)) {
                    // Of a container of lists, it is those lists that are written to.
                    written(from.input(i), items || !given.equals(value.type()), seen);
                }
            }
        }
    }

    /** Whether an operator's result is none of its arguments, by the annotations of its schema. */
    private static boolean isNew(Node node, Value result) {
        return node.schema() != null
                && result.index() < node.schema().returns().size()
                && node.schema().returns().get(result.index()).alias() == null;
    }

    /** Whether there is something of a type that can be written to; lists are, whatever they hold. */
    private static boolean changes(Type type) {
        return TypeRelations.unwrapOptional(type) instanceof Type.ListType || PointsTo.holdsMemory(type);
    }

    private void attributeWritten(ScriptObject owner, String name) {
        if (owner == null) {
            assignedAnywhere.add(name);
            return;
        }
        if (owner.get(name) == null) {
            // There is nothing to write to.
            return;
        }
        assigned.computeIfAbsent(owner, o -> new HashSet<>()).add(name);
        if (owner.get(name) instanceof Tensor tensor) {
            written.add(tensor.storage());
        }
    }

    private static boolean sets(Block block, String name) {
        return block.nodes().stream()
                .anyMatch(node -> node.is(Prim.SET_ATTR) && name.equals(node.attribute("name"))
                        || node.blocks().stream().anyMatch(inner -> sets(inner, name)));
    }

    /** Modules are in evaluation mode, which says what of them trains and so writes. */
    private void evaluate() {
        if (!sets(graph.block(), TRAINING)) {
            evaluate(graph.block());
            takeBranches(graph.block());
        }
    }

    private void evaluate(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            if (node.is(Prim.GET_ATTR) && TRAINING.equals(node.attribute("name"))) {
                replaceAttribute(node);
            }
            node.blocks().forEach(this::evaluate);
        }
    }

    private void replaceAttributes(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            if (node.is(Prim.GET_ATTR)) {
                replaceAttribute(node);
            }
            node.blocks().forEach(this::replaceAttributes);
        }
    }

    private void replaceAttribute(Node node) {
        ScriptObject owner = objects.get(node.input(0));
        String name = (String) node.attribute("name");
        if (owner == null
                || assignedAnywhere.contains(name)
                || assigned.getOrDefault(owner, Set.of()).contains(name)) {
            return;
        }
        Object value = owner.get(name);
        if (value instanceof ScriptObject
                || Literals.isMutated(node.output())
                || value instanceof Tensor tensor && written.contains(tensor.storage())) {
            return;
        }
        if (name.equals(TRAINING) && owner.type().kind() == ClassType.Kind.MODULE) {
            value = false;
        }
        Node constant = graph.constant(value, node.output().type()).range(node.range());
        constant.output().name(name);
        constant.attribute("attribute", name);
        node.owner().insertBefore(node, constant);
        node.output().replaceAllUsesWith(constant.output());
        node.destroy();
    }
}
