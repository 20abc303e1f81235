package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.source.Upgraders;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The classes of an archive that has byte code but no source: methods from the byte code, attributes from the objects
 * in the data. Byte code knows attributes by number, so their order is what counts.
 */
public final class BytecodeLoader {
    private final Object tree;
    private final OperatorFacts operators;
    private final BytecodeReader reader;
    private final int operatorVersion;
    private Upgraders upgraders;
    private final Map<String, ClassType> types = new HashMap<>();
    private Supplier<InstructionLines> unread = () -> InstructionLines.NONE;
    private InstructionLines lines;

    /**
     * @param tree value tree of {@code bytecode.pkl}
     * @param data value tree of {@code data.pkl}
     * @param values makes runtime values of constants' trees, given the types of this archive
     * @param operators what calls are matched with
     * @param operatorVersion archive version that says what operators mean
     * @throws BytecodeException if the version is none of 4 to 9 or the tree is no byte code
     */
    public BytecodeLoader(
            Object tree,
            Object data,
            BiFunction<Object, java.util.function.Function<String, Type>, Object> values,
            OperatorFacts operators,
            int operatorVersion) {
        this.tree = tree;
        this.operators = operators;
        this.operatorVersion = operatorVersion;
        this.reader = new BytecodeReader(this::type, value -> values.apply(value, this::type));
        declareObjects(data);
        // Constants may be objects.
        declareObjects(tree);
        declareMethods();
    }

    /**
     * Gives nodes the lines of Python that the archive has for them. The trees are asked for when a method is first
     * needed.
     *
     * @param handles value tree of {@code mobile_debug_handles.pkl}, or null
     * @param callStacks value tree of {@code callstack_debug_map.pkl}, or null
     * @param places lines by tag; null where there is none
     */
    public synchronized BytecodeLoader lines(
            Supplier<?> handles, Supplier<?> callStacks, LongFunction<SourceRange.Python> places) {
        unread = () -> new InstructionLines(handles.get(), callStacks.get(), places);
        return this;
    }

    synchronized InstructionLines lines() {
        if (lines == null) {
            lines = unread.get();
        }
        return lines;
    }

    List<FunctionSchema> overloads(String kind) {
        return operators.schemas(kind);
    }

    /** The overload that follows by rule from others and is meant by a name, or null. */
    FunctionSchema derived(String kind, String overload, int given) {
        return operators.derived(kind, overload, given);
    }

    /** What stands in place of an overload that meant something else when the archive was written, or null. */
    synchronized Function upgrader(String kind, String overload) {
        if (operatorVersion >= Upgraders.LATEST) {
            return null;
        }
        if (upgraders == null) {
            upgraders = new Upgraders(operators);
        }
        return upgraders.function(kind, overload, operatorVersion);
    }

    /** A class with objects or methods, a custom class, or null. */
    public Type type(String name) {
        return name.startsWith("__torch__.torch.classes.") ? ClassType.custom(name) : types.get(name);
    }

    private ClassType declared(String name) {
        return types.computeIfAbsent(name, n -> new ClassType(n, ClassType.Kind.MODULE));
    }

    private void declareMethods() {
        List<String> names = BytecodeReader.names(tree);
        names.forEach(name -> declared(owner(name)));
        for (int i = 0; i < names.size(); i++) {
            BytecodeFunction function = reader.function(tree, i);
            declared(owner(function.name()))
                    .addMethod(new Function(
                            function.name(), function.schema(), () -> BytecodeGraph.build(this, function)));
        }
    }

    private static String owner(String function) {
        int dot = function.lastIndexOf('.');
        if (dot < 0) {
            throw new BytecodeException("function: " + function + " (expected: a method, as in Class.method)");
        }
        return function.substring(0, dot);
    }

    private void declareObjects(Object data) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Object> open = new ArrayDeque<>();
        push(open, data);
        while (!open.isEmpty()) {
            Object item = open.pop();
            if (!seen.add(item)) {
                continue;
            }
            if (item instanceof PickledObject object
                    && type(object.className()) instanceof ClassType custom
                    && custom.kind() == ClassType.Kind.CUSTOM) {
                push(open, object.state());
            } else if (item instanceof PickledObject object) {
                declare(object, open);
            } else {
                parts(item).forEach(part -> push(open, part));
            }
        }
    }

    private static void push(ArrayDeque<Object> open, Object item) {
        if (item != null) {
            open.push(item);
        }
    }

    private static Collection<Object> parts(Object item) {
        if (item instanceof ScriptTuple tuple) {
            return tuple.items();
        }
        if (item instanceof PickledList list) {
            return list.items();
        }
        if (item instanceof PickledDict dict) {
            return dict.entries().stream().map(Map.Entry::getValue).collect(Streams.toList());
        }
        return List.of();
    }

    private void declare(PickledObject object, ArrayDeque<Object> open) {
        ClassType type = declared(object.className());
        if (!(object.state() instanceof PickledDict state)) {
            push(open, object.state());
            return;
        }
        for (Map.Entry<Object, Object> entry : new ArrayList<>(state.entries())) {
            if (entry.getKey() instanceof String name) {
                Type found = attributeType(entry.getValue());
                int slot = type.slot(name);
                boolean differs =
                        slot >= 0 && !type.attributes().get(slot).type().equals(found);
                type.addAttribute(new ClassType.Attribute(name, differs ? Type.Basic.ANY : found, false, false));
                push(open, entry.getValue());
            }
        }
    }

    /** Types that a value shows beyond doubt; None, lists and dictionaries may be declared in several ways. */
    private Type attributeType(Object value) {
        if (value instanceof PickledObject object) {
            Type type = type(object.className());
            return type != null ? type : declared(object.className());
        }
        return value instanceof Tensor
                        || value instanceof Long
                        || value instanceof Double
                        || value instanceof Boolean
                        || value instanceof String
                ? RuntimeTypes.of(value)
                : Type.Basic.ANY;
    }
}
