package org.torchnnapi.converter.partial;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What a walk knows of attributes that a method sets, of the module and of those in it: a tensor that is read before it
 * is set has the shape that it has in the file, which the made graph checks; what is read after it was set is what was
 * set. Lists and dicts in which items are set are followed too ({@link EscapingContainers}). A list that was set is
 * followed like any other, and set in the made graph once nothing else is done to it. Of an attribute that is set in a
 * branch that stays, only the shape is known behind it. One that is set in a loop that stays, whose shape does not stay
 * what it was, or that may be set by code that is not followed, is left open. An attribute that is None in the file, or
 * a tensor without elements of which only the shape is asked then, as in streams that have not begun, has the shape
 * that the method leaves in it, wherever it is something: an earlier walk tells.
 */
final class ModuleState {
    private final ResidualGraph residual;
    private final WideningState widening;
    private final Map<Value, ScriptObject> objects = new IdentityHashMap<>();
    private final Map<ScriptObject, Integer> numbers = new IdentityHashMap<>();
    private final Map<ScriptObject, Map<String, AbstractValue>> known = new IdentityHashMap<>();
    private final Map<ScriptObject, Map<String, Tensor>> entered = new IdentityHashMap<>();
    private final Map<ScriptObject, Set<String>> absent = new IdentityHashMap<>();
    private final Map<ScriptObject, Set<String>> used = new IdentityHashMap<>();
    private final Map<ScriptObject, Map<String, Pending>> pending = new IdentityHashMap<>();
    private final EscapingContainers containers;
    private int loops;

    /** A list to be set: in which object of the made graph, and by which node of the old one. */
    private record Pending(Value object, Node node, Held list) {}

    ModuleState(ResidualGraph residual, WideningState widening) {
        this.residual = residual;
        this.widening = widening;
        this.containers = new EscapingContainers(residual, widening);
    }

    /** The attribute's only name: which object has it, and how it is called there. */
    private String key(ScriptObject object, String name) {
        return numbers.computeIfAbsent(object, o -> numbers.size()) + "." + name;
    }

    private Value reading(Node node, Value from, ScriptObject object, String name) {
        Value made = residual.copy(node, List.of(from)).output();
        made.definition().attribute(ResidualGraph.STATE, key(object, name));
        return made;
    }

    /** A value of the made graph is a module. */
    void object(Value value, ScriptObject object) {
        objects.put(value, object);
    }

    /** The module that is known to be {@code value}, or null. */
    private ScriptObject object(AbstractValue value) {
        return value instanceof Open open ? objects.get(open.value()) : null;
    }

    /**
     * Walks through a node that reads an attribute.
     *
     * @return what it reads, or null where that is not followed
     */
    AbstractValue read(Node node, AbstractInterpreter interpreter) {
        AbstractValue from = interpreter.of(node.input(0));
        ScriptObject object = object(from);
        String name = (String) node.attribute("name");
        if (object == null || widening.isOpen(object, name)) {
            return null;
        }
        AbstractValue set = known.getOrDefault(object, Map.of()).get(name);
        if (set != null) {
            containers.readAgain(node, interpreter, object, name);
            return set;
        }
        Object now = object.get(name);
        if (now instanceof ScriptObject inner
                && node.output().type() instanceof ClassType type
                && type.kind() != ClassType.Kind.CUSTOM) {
            Value made = reading(node, ((Open) from).value(), object, name);
            objects.put(made, inner);
            return new Open(made, null);
        }
        if (now == null && node.output().type() instanceof Type.OptionalType) {
            return optional(node, interpreter, object, name, ((Open) from).value());
        }
        if (now instanceof Long || now instanceof Double || now instanceof Boolean || now instanceof String) {
            return new Open(reading(node, ((Open) from).value(), object, name), null);
        }
        Held container = containers.read(
                node,
                interpreter,
                object,
                name,
                () -> reading(node, ((Open) from).value(), object, name),
                key(object, name));
        if (container != null) {
            known.computeIfAbsent(object, o -> new HashMap<>()).put(name, container);
            return container;
        }
        if (!(now instanceof Tensor tensor) || node.output().type() != Type.Basic.TENSOR) {
            return null;
        }
        if (tensor.numel() == 0 && widening.lasting(object, name) != null) {
            return optional(node, interpreter, object, name, ((Open) from).value());
        }
        Value made = reading(node, ((Open) from).value(), object, name);
        residual.requireSizes(made, tensor.sizes(), "attribute " + name);
        AbstractValue read = interpreter.open(made, tensor.copy(MemoryFormat.CONTIGUOUS));
        if (tensor.numel() == 0) {
            interpreter
                    .optionals()
                    .putEmpty(
                            made,
                            () -> used.computeIfAbsent(object, o -> new HashSet<>())
                                    .add(name));
        }
        if (residual.isCertain()) {
            known.computeIfAbsent(object, o -> new HashMap<>()).put(name, read);
        }
        entered.computeIfAbsent(object, o -> new HashMap<>()).put(name, tensor);
        return read;
    }

    private AbstractValue optional(
            Node node, AbstractInterpreter interpreter, ScriptObject object, String name, Value from) {
        absent.computeIfAbsent(object, o -> new HashSet<>()).add(name);
        Object lasting = widening.lasting(object, name);
        if (lasting == null) {
            // The first call, which tells what the others find.
            return new Known(null);
        }
        Open read = new Open(reading(node, from, object, name), null);
        interpreter.optionals().put(read.value(), lasting);
        if (residual.isCertain()) {
            known.computeIfAbsent(object, o -> new HashMap<>()).put(name, read);
        }
        return read;
    }

    /**
     * Walks through a node that sets an attribute.
     *
     * @return whether the made graph sets it later
     */
    boolean set(Node node, AbstractInterpreter interpreter) {
        AbstractValue into = interpreter.of(node.input(0));
        ScriptObject object = object(into);
        String name = (String) node.attribute("name");
        node.attributes().remove(ResidualGraph.STATE);
        if (object == null) {
            return false;
        }
        AbstractValue value = interpreter.of(node.input(1));
        containers.set(object, name);
        boolean certain = residual.isCertain();
        AbstractValue before = known.getOrDefault(object, Map.of()).get(name);
        Object kept = held(object, name);
        boolean follows = certain
                || loops == 0
                        && keepsShape(value, kept)
                        && (before == null
                                || OptionalAttributes.alike(
                                        interpreter.optionals().of(before), kept));
        if (!follows || node.input(1).type() instanceof ClassType) {
            widening.attribute(object, name);
        }
        if (widening.isOpen(object, name)) {
            return false;
        }
        node.attribute(ResidualGraph.STATE, key(object, name));
        if (!certain) {
            known.getOrDefault(object, new HashMap<>()).remove(name);
            return false;
        }
        known.computeIfAbsent(object, o -> new HashMap<>()).put(name, value);
        boolean waits = value instanceof Held held && held.container() instanceof ScriptList;
        Map<String, Pending> later = pending.computeIfAbsent(object, o -> new LinkedHashMap<>());
        if (waits) {
            later.put(name, new Pending(((Open) into).value(), node, (Held) value));
        } else {
            later.remove(name);
        }
        return waits;
    }

    /** What is walked through from now on stands in one more loop that stays, or one less. */
    void loops(int change) {
        loops += change;
    }

    /** Code that is not followed may read or set what it likes. */
    void meetUnknown() {
        if (!objects.isEmpty()) {
            widening.attributes();
        }
    }

    /**
     * The walk has ended: lists that wait are set.
     *
     * @param results what the graph returns
     */
    void end(List<AbstractValue> results, AbstractInterpreter interpreter) {
        containers.end(results);
        pending.values()
                .forEach(later -> later.forEach((name, one) -> {
                    if (results.stream().anyMatch(result -> holds(result, one.list()))) {
                        // Who calls the method gets the list that the attribute is.
                        widening.site(one.list().site());
                    }
                    Node made = residual.create(one.node().kind())
                            .range(one.node().range())
                            .addInput(one.object())
                            .addInput(residual.value(one.list()));
                    made.attributes().putAll(one.node().attributes());
                    residual.append(made);
                }));
        absent.forEach((object, names) -> names.forEach(name -> {
            AbstractValue last = known.getOrDefault(object, Map.of()).get(name);
            Object lasting = widening.lasting(object, name);
            if (lasting == null && last != null && OptionalAttributes.sample(last) != null) {
                widening.lasts(object, name, OptionalAttributes.sample(last));
            } else if (lasting == null
                    || last != null
                            && !AbstractValue.isNone(last)
                            && !OptionalAttributes.alike(interpreter.optionals().of(last), lasting)) {
                widening.attribute(object, name);
            }
        }));
        known.forEach((object, values) -> values.forEach((name, last) -> {
            if (object.get(name) instanceof Tensor tensor
                    && tensor.numel() == 0
                    && widening.lasting(object, name) == null
                    && !used.getOrDefault(object, Set.of()).contains(name)
                    && OptionalAttributes.sample(last) instanceof Tensor lasting
                    && lasting.numel() > 0) {
                widening.lasts(object, name, lasting);
            }
        }));
        entered.forEach((object, tensors) -> tensors.forEach((name, tensor) -> {
            AbstractValue last = known.getOrDefault(object, Map.of()).get(name);
            if (last != null && !keepsShape(last, tensor) && widening.lasting(object, name) == null) {
                widening.attribute(object, name);
            }
        }));
    }

    /**
     * A sample of what an attribute holds: the tensor of the file, or what a None or a tensor without elements becomes;
     * null where neither is known.
     */
    private Object held(ScriptObject object, String name) {
        Object lasting = widening.lasting(object, name);
        return lasting != null ? lasting : object.get(name) instanceof Tensor tensor ? tensor : null;
    }

    private static boolean keepsShape(AbstractValue value, Object sample) {
        return OptionalAttributes.alike(OptionalAttributes.sample(value), sample);
    }

    /** Whether a value is a list or dict, or has it among its items. */
    static boolean holds(AbstractValue value, Held list) {
        return value == list
                || value instanceof Held held
                        && (held.container() instanceof ScriptList || held.container() instanceof ScriptTuple)
                        && ResidualGraph.items(held.container()).stream().anyMatch(item -> holds(item, list));
    }
}
