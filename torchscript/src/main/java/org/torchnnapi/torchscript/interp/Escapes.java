package org.torchnnapi.torchscript.interp;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.CustomClass;

/**
 * Whether something may refer to the memory of a value when the call is over that it was made in or given to: an attribute, a container
 * from elsewhere, a custom object, a fork that is still running. Conservative: whatever an operator makes from a value counts as the value,
 * in any order of the nodes.
 */
final class Escapes {
    private static final Set<String> PASSING = Set.of("prim::ListConstruct", "prim::TupleConstruct", "prim::DictConstruct", "prim::ListUnpack",
        "prim::TupleUnpack", "prim::TupleIndex", "prim::TupleSlice", "prim::unchecked_cast", "prim::isinstance");
    private static final Set<Type> WITHOUT_MEMORY = Set.of(Type.Basic.INT, Type.Basic.FLOAT, Type.Basic.BOOL, Type.Basic.STRING,
        Type.Basic.COMPLEX, Type.Basic.NUMBER, Type.Basic.DEVICE, Type.Basic.NONE);

    private record Parameter(Function function, int index) {
    }

    private final java.util.function.Function<String, CustomClass> customClasses;
    /** Those looked at; one that leads back to itself adds nothing. */
    private final Set<Parameter> parameters = new HashSet<>();

    private Escapes(java.util.function.Function<String, CustomClass> customClasses) {
        this.customClasses = customClasses;
    }

    /** Whether an argument of a function may be referred to after the call by anything but its result. */
    static boolean ofParameter(Function function, int index, java.util.function.Function<String, CustomClass> customClasses) {
        return new Escapes(customClasses).escapes(function, index);
    }

    /** Whether a value may be referred to after the run of its graph, by its result too. */
    static boolean ofValue(Value value, java.util.function.Function<String, CustomClass> customClasses) {
        return new Escapes(customClasses).escapes(value, true);
    }

    private boolean escapes(Function function, int index) {
        if (!parameters.add(new Parameter(function, index))) {
            return false;
        }
        try {
            return !function.hasBody() || escapes(function.graph().inputs().get(index), false);
        } catch (SourceException e) {
            return true;
        }
    }

    private boolean escapes(Value value, boolean withResult) {
        Reached reached = new Reached();
        reached.add(value);
        for (Value next = reached.todo.poll(); next != null; next = reached.todo.poll()) {
            for (Value.Use use : next.uses()) {
                Node user = use.user();
                boolean escapes = user == user.owner().returns() ? leaves(user.owner(), use.index(), withResult, reached)
                    : isTaken(user, use.index(), reached);
                if (escapes) {
                    return true;
                }
            }
        }
        return false;
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
            return !WITHOUT_MEMORY.contains(type);
        }
    }

    /** A value that is result {@code index} of a block. */
    private static boolean leaves(Block block, int index, boolean withResult, Reached reached) {
        Node parent = block.parent();
        if (parent == null) {
            return withResult;
        }
        if (parent.is("prim::If")) {
            reached.add(parent.output(index));
            return false;
        }
        if (!parent.is("prim::Loop")) {
            return true;
        }
        if (index > 0) {
            reached.add(parent.output(index - 1));
            reached.add(block.parameters().get(index));
        }
        return false;
    }

    /** A value that is input {@code index} of a node. */
    private boolean isTaken(Node node, int index, Reached reached) {
        switch (node.kind()) {
            case "prim::If" -> {
                return false;
            }
            case "prim::Loop" -> {
                if (index > 1) {
                    reached.add(node.output(index - 2));
                    reached.add(node.blocks().get(0).parameters().get(index - 1));
                }
                return false;
            }
            case "prim::CallFunction" -> {
                reached.add(node.outputs());
                return escapes((Function) node.attribute("function"), index);
            }
            case "prim::CallMethod" -> {
                reached.add(node.outputs());
                return isKept(node, index);
            }
            default -> {
                reached.add(node.outputs());
                return node.schema() == null ? !PASSING.contains(node.kind()) : isPutElsewhere(node, reached);
            }
        }
    }

    private boolean isKept(Node call, int index) {
        if (!(call.input(0).type() instanceof ClassType type)) {
            return true;
        }
        String name = (String) call.attribute("name");
        if (type.kind() == ClassType.Kind.CUSTOM) {
            CustomClass custom = customClasses.apply(type.name());
            return index == 0 || custom == null || custom.mayKeep(name, index - 1);
        }
        Function method = type.kind() == ClassType.Kind.INTERFACE ? null : type.method(name);
        return method == null || escapes(method, index);
    }

    /** Whether an operator puts its inputs into a container that was there before. Tensors take elements, not memory, of others. */
    private static boolean isPutElsewhere(Node node, Reached reached) {
        List<FunctionSchema.Argument> arguments = node.schema().arguments();
        for (int i = 0; i < Math.min(arguments.size(), node.inputs().size()); i++) {
            Value target = node.input(i);
            if (!arguments.get(i).mutated() || target.type() == Type.Basic.TENSOR) {
                continue;
            }
            Node maker = target.definition();
            if (maker == null || !maker.is("prim::ListConstruct") && !maker.is("prim::DictConstruct")) {
                return true;
            }
            reached.add(target);
        }
        return false;
    }
}
