package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Which values may share memory: a partition of a graph's values (Steensgaard's), conservative: values in different
 * sets never share. An operator's result shares memory with the arguments of its alias set in the schema, and with
 * whatever its traits say; containers share with what they hold and with what is put into them; branches and loops join
 * their ways; what is set as an attribute shares with what is read of it; operators without schema join everything.
 */
public final class PointsTo {
    private final Map<Value, Value> parents = new IdentityHashMap<>();
    private final Map<Value, List<Value>> members = new IdentityHashMap<>();
    /** What is known to be which object; empty where attributes are not told apart. */
    private final Map<Value, ScriptObject> objects = new IdentityHashMap<>();
    /** One value each of attributes, by object and name, and of storages. */
    private final Map<ScriptObject, Map<String, Value>> attributes = new IdentityHashMap<>();

    private final Map<Object, Value> storages = new IdentityHashMap<>();
    /** Names of attributes of modules of which it is not known which they are. */
    private final Set<String> vague = new HashSet<>();

    private final Map<String, Value> byName = new HashMap<>();

    /** Attributes share memory with each other, and with all inputs. */
    public PointsTo(Graph graph) {
        this(graph, null);
    }

    /**
     * @param module what the graph's first input is, by which its attributes are told apart, from each other and from
     *     inputs; null where that is not known
     */
    public PointsTo(Graph graph, ScriptObject module) {
        if (module == null || !follow(graph, module)) {
            objects.clear();
        }
        // Inputs of the whole graph may be the same tensor.
        Value first = null;
        for (Value input : graph.inputs()) {
            if (!objects.containsKey(input) && holdsMemory(input.type())) {
                first = first == null ? input : first;
                join(first, input);
            }
        }
        visit(graph.block());
    }

    /** All values that may share memory with {@code value}, itself included. */
    public List<Value> of(Value value) {
        Value root = find(value);
        return members.computeIfAbsent(root, r -> new ArrayList<>(List.of(r)));
    }

    /** The set that a value is in: one of its values, the same for all of them. */
    public Value set(Value value) {
        return find(value);
    }

    /** Whether two values may share memory. */
    public boolean share(Value one, Value other) {
        return find(one) == find(other);
    }

    /** The object that a value is, where attributes are told apart; null for what is none. */
    public ScriptObject object(Value value) {
        return objects.get(value);
    }

    /** @return whether attributes are read and set here only, each object under whatever name */
    private boolean follow(Graph graph, ScriptObject module) {
        objects.put(graph.inputs().get(0), module);
        return follow(graph.block());
    }

    private boolean follow(Block block) {
        for (Node node : block.nodes()) {
            boolean attribute = node.is(Prim.GET_ATTR) || node.is(Prim.SET_ATTR);
            ScriptObject owner = attribute ? objects.get(node.input(0)) : null;
            if (node.is(Prim.GET_ATTR)
                    && owner != null
                    && owner.get((String) node.attribute("name")) instanceof ScriptObject child) {
                objects.put(node.output(), child);
            }
            if (attribute && owner == null && isModule(node.input(0))) {
                vague.add((String) node.attribute("name"));
            }
            boolean unknown = attribute
                    ? node.is(Prim.SET_ATTR) && isObject(node.input(1))
                    : node.blocks().isEmpty() && node.inputs().stream().anyMatch(PointsTo::isModule);
            if (unknown || !node.blocks().stream().allMatch(this::follow)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isModule(Value value) {
        return value.type() instanceof ClassType type && type.kind() == ClassType.Kind.MODULE;
    }

    private static boolean isObject(Value value) {
        return TypeRelations.unwrapOptional(value.type()) instanceof ClassType;
    }

    private void visit(Block block) {
        for (Node node : block.nodes()) {
            switch (node.kind()) {
                case Prim.CONSTANT -> {
                    if (holdsMemory(node.output().type())) {
                        joinStorages(node.output(), node.attribute("value"));
                    }
                }
                case Prim.IF -> {
                    for (Block branch : node.blocks()) {
                        visit(branch);
                        joinAll(node.outputs(), branch.results());
                    }
                }
                case Prim.LOOP -> {
                    Block body = node.blocks().get(0);
                    visit(body);
                    List<Value> carried = node.inputs().subList(2, node.inputs().size());
                    joinAll(node.outputs(), carried);
                    joinAll(
                            node.outputs(),
                            body.results().subList(1, body.results().size()));
                    joinAll(
                            node.outputs(),
                            body.parameters().subList(1, body.parameters().size()));
                }
                case Prim.GET_ATTR -> attribute(node, node.output());
                case Prim.SET_ATTR -> attribute(node, node.input(1));
                default -> visitPlain(node);
            }
        }
    }

    /** @param value what is read or set */
    private void attribute(Node node, Value value) {
        if (!holdsMemory(value.type()) || objects.containsKey(value)) {
            return;
        }
        ScriptObject owner = objects.get(node.input(0));
        String name = (String) node.attribute("name");
        boolean apart = owner != null || !objects.isEmpty() && isModule(node.input(0));
        if (!apart) {
            join(node.input(0), value);
            return;
        }
        if (vague.contains(name)) {
            // An object that is not known may be any that has an attribute of the name.
            Value same = byName.putIfAbsent(name, value);
            if (same != null) {
                join(same, value);
            }
        }
        if (owner == null) {
            return;
        }
        Map<String, Value> known = attributes.computeIfAbsent(owner, o -> new HashMap<>());
        Value same = known.putIfAbsent(name, value);
        if (same != null) {
            join(same, value);
        } else {
            joinStorages(value, owner.get(name));
        }
    }

    /** A value may be, or hold, these tensors, which are there before the graph runs. */
    private void joinStorages(Value value, Object held) {
        if (held instanceof Tensor tensor) {
            Value same = storages.putIfAbsent(tensor.storage(), value);
            if (same != null) {
                join(same, value);
            }
        } else if (held instanceof ScriptList list) {
            if (holdsMemory(list.elementType())) {
                list.items().forEach(item -> joinStorages(value, item));
            }
        } else if (held instanceof ScriptTuple tuple) {
            tuple.items().forEach(item -> joinStorages(value, item));
        } else if (held instanceof ScriptDict dict) {
            dict.items().values().forEach(item -> joinStorages(value, item));
        }
    }

    private void visitPlain(Node node) {
        if (isReadOnlyList(node)) {
            return;
        }
        for (Value output : node.outputs()) {
            if (!holdsMemory(output.type())) {
                continue;
            }
            for (int i = 0; i < node.inputs().size(); i++) {
                if (holdsMemory(node.input(i).type()) && mayShare(node, i, output)) {
                    join(output, node.input(i));
                }
            }
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            // What is put into a container is in it from then on.
            boolean keeps = Effects.writes(node, i)
                    && (node.input(i).type() != Type.Basic.TENSOR || OperatorTrait.SHARES.of(node));
            for (int k = 0; keeps && k < node.inputs().size(); k++) {
                if (holdsMemory(node.input(k).type())) {
                    join(node.input(i), node.input(k));
                }
            }
        }
    }

    /** Whether a node shares memory with an input though its schema does not say so. */
    private static boolean shares(Node node, int input) {
        Node list = node.input(input).definition();
        boolean several =
                list != null && list.is(Prim.LIST_CONSTRUCT) && list.inputs().size() > 1;
        return OperatorTrait.SHARES.of(node) || OperatorTrait.SHARES_ONE.of(node) && !several;
    }

    /** Whether a result of a node without blocks may share memory with one of its inputs. */
    public static boolean mayShare(Node node, int input, Value output) {
        if (node.is(Prim.LIST_UNPACK) && isFreshList(node.input(input))) {
            return false;
        }
        FunctionSchema schema = node.schema();
        if (schema == null
                || input >= schema.arguments().size()
                || TypeRelations.hasVariables(schema.arguments().get(input).type())
                || shares(node, input)
                || OperatorTrait.IDENTITY_IN_EVALUATION.of(node) && input == 0) {
            return true;
        }
        String alias = schema.arguments().get(input).alias();
        if (alias == null) {
            return false;
        }
        int index = output.index();
        Argument returned = index < schema.returns().size() ? schema.returns().get(index) : null;
        return returned == null || alias.equals(returned.alias()) || "*".equals(returned.alias());
    }

    /** Whether a node's result may share memory with one of its inputs. */
    public static boolean mayShare(Node node, Value output) {
        for (int i = 0; i < node.inputs().size(); i++) {
            if (holdsMemory(node.input(i).type()) && mayShare(node, i, output)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a node only gathers tensors for operators that make new memory of them, or for whoever called the graph.
     * Its elements then stay apart; what is read of them still hangs on the list, which whoever moves a write has to
     * look at.
     */
    public static boolean isReadOnlyList(Node node) {
        boolean list = node.is(Prim.LIST_CONSTRUCT);
        return list && node.output().uses().stream().allMatch(use -> isFresh(use.user(), use.index()))
                || (list || node.is(Prim.TUPLE_CONSTRUCT) || node.is(Prim.DICT_CONSTRUCT)) && isOnlyReturned(node);
    }

    private static boolean isOnlyReturned(Node node) {
        return node.output().uses().stream()
                .allMatch(use -> use.user() == node.graph().block().returns());
    }

    /**
     * Whether a list is taken apart where it is made, of tensors that PyTorch says to share no memory with each other.
     */
    private static boolean isFreshList(Value list) {
        Node maker = list.definition();
        return maker != null
                && maker.schema() != null
                && maker.schema().returns().size() == 1
                && maker.schema().returns().get(0).alias() == null
                && list.uses().size() == 1
                && maker.schema().name().startsWith("aten::unsafe_");
    }

    /**
     * Whether what an operator makes of a list's elements is new memory, and the list not written to: by the
     * annotations of its schema.
     */
    private static boolean isFresh(Node node, int input) {
        FunctionSchema schema = node.schema();
        return schema != null
                && input < schema.arguments().size()
                && schema.arguments().get(input).alias() == null
                && !shares(node, input)
                && !TypeRelations.hasVariables(schema.arguments().get(input).type())
                && !keepsItems(node);
    }

    /** Whether a node puts what it is given into a container that is there. */
    private static boolean keepsItems(Node node) {
        for (int i = 0; i < node.inputs().size(); i++) {
            if (Effects.writes(node, i) && node.input(i).type() != Type.Basic.TENSOR) {
                return true;
            }
        }
        return false;
    }

    /** Whether values of a type are, or hold, what can be written to. */
    public static boolean holdsMemory(Type type) {
        if (type instanceof Type.Basic basic) {
            return basic == Type.Basic.TENSOR
                    || basic == Type.Basic.ANY
                    || basic == Type.Basic.ANY_LIST
                    || basic == Type.Basic.ANY_TUPLE;
        }
        if (type instanceof Type.ListType list) {
            return holdsMemory(list.element());
        }
        if (type instanceof Type.OptionalType optional) {
            return holdsMemory(optional.element());
        }
        return !(type instanceof Type.EnumType);
    }

    private void joinAll(List<Value> a, List<Value> b) {
        for (int i = 0; i < a.size() && i < b.size(); i++) {
            if (holdsMemory(a.get(i).type())) {
                join(a.get(i), b.get(i));
            }
        }
    }

    private Value find(Value value) {
        Value parent = parents.get(value);
        if (parent == null) {
            return value;
        }
        Value root = value;
        while (parents.get(root) != null) {
            root = parents.get(root);
        }
        while (value != root) {
            Value next = parents.put(value, root);
            value = next;
        }
        return root;
    }

    private void join(Value a, Value b) {
        Value x = find(a);
        Value y = find(b);
        if (x == y) {
            return;
        }
        List<Value> kept = of(x);
        List<Value> moved = of(y);
        if (kept.size() < moved.size()) {
            Value swap = x;
            x = y;
            y = swap;
            List<Value> swapped = kept;
            kept = moved;
            moved = swapped;
        }
        kept.addAll(moved);
        members.remove(y);
        parents.put(y, x);
    }
}
