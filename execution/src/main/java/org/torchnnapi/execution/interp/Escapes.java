package org.torchnnapi.execution.interp;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.Callee;
import org.torchnnapi.torchscript.value.CustomClass;

/**
 * Whether something may refer to the memory of a value when the call is over that it was made in or given to: an
 * attribute, a container from elsewhere, a custom object, a fork that is still running. Conservative: whatever an
 * operator makes from a value counts as the value, in any order of the nodes.
 */
final class Escapes {
    private static final Set<String> PASSING = Set.of(
            Prim.LIST_CONSTRUCT,
            Prim.TUPLE_CONSTRUCT,
            Prim.DICT_CONSTRUCT,
            Prim.LIST_UNPACK,
            Prim.TUPLE_UNPACK,
            Prim.TUPLE_INDEX,
            Prim.TUPLE_SLICE,
            Prim.UNCHECKED_CAST,
            Prim.IS_INSTANCE);
    private static final Set<Type> WITHOUT_MEMORY = Set.of(
            Type.Basic.INT,
            Type.Basic.FLOAT,
            Type.Basic.BOOL,
            Type.Basic.STRING,
            Type.Basic.COMPLEX,
            Type.Basic.NUMBER,
            Type.Basic.DEVICE,
            Type.Basic.NONE);

    private record Parameter(Function function, int index) {}

    /** What may refer to a value when the call is over. */
    enum Fate {
        NOTHING,
        RESULT,
        ANYTHING
    }

    private final java.util.function.Function<String, CustomClass> customClasses;
    private final Map<Parameter, Fate> parameters = new HashMap<>();

    private Escapes(java.util.function.Function<String, CustomClass> customClasses) {
        this.customClasses = customClasses;
    }

    /** Whether an argument of a function may be referred to after the call by anything but its result. */
    static boolean ofParameter(
            Function function, int index, java.util.function.Function<String, CustomClass> customClasses) {
        return new Escapes(customClasses).fate(function, index) == Fate.ANYTHING;
    }

    /** What may refer to a value after the run of its graph. */
    static Fate ofValue(Value value, java.util.function.Function<String, CustomClass> customClasses) {
        return new Escapes(customClasses).fate(value);
    }

    private Fate fate(Function function, int index) {
        Parameter parameter = new Parameter(function, index);
        Fate known = parameters.get(parameter);
        if (known != null) {
            return known;
        }
        // What a function that calls itself is told until it is known.
        parameters.put(parameter, Fate.ANYTHING);
        Fate fate;
        try {
            fate = function.hasBody()
                    ? fate(function.representative().graph().inputs().get(index))
                    : Fate.ANYTHING;
        } catch (SourceException e) {
            // Whoever calls it is told.
            fate = Fate.ANYTHING;
        }
        parameters.put(parameter, fate);
        return fate;
    }

    private Fate fate(Value value) {
        Reached reached = new Reached();
        reached.add(value);
        Fate fate = Fate.NOTHING;
        for (Value next = reached.todo.poll(); next != null; next = reached.todo.poll()) {
            for (Value.Use use : next.uses()) {
                Node user = use.user();
                Fate own = user == user.owner().returns()
                        ? leaving(user.owner(), use.index(), reached)
                        : taken(user, use.index(), reached);
                if (own == Fate.ANYTHING) {
                    return own;
                }
                fate = own == Fate.RESULT ? own : fate;
            }
        }
        return fate;
    }

    /** Values with what is made from them. */
    private static final class Reached {
        private final Set<Value> all = Collections.newSetFromMap(new IdentityHashMap<>());
        private final Deque<Value> todo = new ArrayDeque<>();

        void add(Value value) {
            if (mayHoldMemory(value.type()) && all.add(value)) {
                todo.add(value);
            }
        }

        void add(List<Value> values) {
            values.forEach(this::add);
        }

        private static boolean mayHoldMemory(Type type) {
            return type instanceof Type.ListType list ? mayHoldMemory(list.element()) : !WITHOUT_MEMORY.contains(type);
        }
    }

    /** A value that is result {@code index} of a block. */
    private static Fate leaving(Block block, int index, Reached reached) {
        Node parent = block.parent();
        if (parent == null) {
            return Fate.RESULT;
        }
        if (parent.is(Prim.IF)) {
            reached.add(parent.output(index));
        } else if (!parent.is(Prim.LOOP)) {
            return Fate.ANYTHING;
        } else if (index > 0) {
            reached.add(parent.output(index - 1));
            reached.add(block.parameters().get(index));
        }
        return Fate.NOTHING;
    }

    /** A value that is input {@code index} of a node. */
    private Fate taken(Node node, int index, Reached reached) {
        switch (node.kind()) {
            case Prim.IF -> {
                return Fate.NOTHING;
            }
            case Prim.LOOP -> {
                if (index > 1) {
                    reached.add(node.output(index - 2));
                    reached.add(node.blocks().get(0).parameters().get(index - 1));
                }
                return Fate.NOTHING;
            }
            case Prim.CALL_FUNCTION, Prim.CALL_METHOD -> {
                Fate inside = inside(Callee.of(node, customClasses), index);
                if (inside == Fate.RESULT) {
                    reached.add(node.outputs());
                    return Fate.NOTHING;
                }
                return inside;
            }
            default -> {
                reached.add(node.outputs());
                boolean passes = node.schema() == null ? PASSING.contains(node.kind()) : !isPutElsewhere(node, reached);
                return passes ? Fate.NOTHING : Fate.ANYTHING;
            }
        }
    }

    /** Of input {@code index} of a call what becomes of it there. */
    private Fate inside(Callee callee, int index) {
        if (callee instanceof Callee.Body body) {
            return fate(body.function(), index);
        }
        boolean passes = callee instanceof Callee.Custom custom
                && index > 0
                && !custom.type().mayKeep(custom.method(), index - 1);
        return passes ? Fate.RESULT : Fate.ANYTHING;
    }

    /**
     * Whether an operator puts its inputs into a container that was there before. Tensors take elements, not memory, of
     * others.
     */
    private static boolean isPutElsewhere(Node node, Reached reached) {
        List<FunctionSchema.Argument> arguments = node.schema().arguments();
        for (int i = 0; i < Math.min(arguments.size(), node.inputs().size()); i++) {
            Value target = node.input(i);
            if (!arguments.get(i).mutated() || target.type() == Type.Basic.TENSOR) {
                continue;
            }
            Node maker = target.definition();
            if (maker == null || !maker.is(Prim.LIST_CONSTRUCT) && !maker.is(Prim.DICT_CONSTRUCT)) {
                return true;
            }
            reached.add(target);
        }
        return false;
    }
}
