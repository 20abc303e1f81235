package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Instance;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** The graph that a walk through another makes: what is left to compute when the model runs. */
public final class ResidualGraph implements NodeBuilder {
    /** Marks checks of arguments. */
    public static final String GUARD = "guard";
    /** Names the attribute that a node reads or sets, where it is known that no other name is the same one's. */
    public static final String STATE = "state";

    private final Graph graph;
    private final Node holder;
    private final Block root;
    private final List<Node> constants = new ArrayList<>();
    private final Map<Object, Value> spelled = new HashMap<>();
    private final Map<Object, Value> objects = new IdentityHashMap<>();
    private final Map<Storage, List<Node>> literals = new IdentityHashMap<>();
    private Block current;
    private long nodes;

    ResidualGraph(Graph graph) {
        this.graph = graph;
        holder = graph.create("prim::Specialised");
        root = holder.addBlock();
        current = root;
    }

    Block current() {
        return current;
    }

    void enter(Block block) {
        current = block;
    }

    /** Whether what is made now is made in every run. */
    boolean isCertain() {
        return current == root;
    }

    /** Whether what a block makes is there for all that is made behind it. */
    boolean isOutermost(Block block) {
        return block == root;
    }

    /** How many nodes were made. */
    long size() {
        return nodes;
    }

    @Override
    public Node create(String kind) {
        nodes++;
        return graph.create(kind);
    }

    @Override
    public Node append(Node node) {
        return current.append(node);
    }

    /** A list of what is known. */
    Value list(Type element, List<?> items) {
        return value(new Held(new ScriptList(element, items), Type.list(element), null, current));
    }

    /** A node like {@code node}, without blocks, appended; its outputs have the types and names of the old ones. */
    Node copy(Node node, List<Value> inputs) {
        Node made = create(node.kind()).schema(node.schema()).range(node.range());
        made.attributes().putAll(node.attributes());
        inputs.forEach(made::addInput);
        node.outputs().forEach(output -> made.addOutput(output.type()).name(output.name()));
        return append(made);
    }

    /** Of what is known as well. */
    @Override
    public Value value(Object argument) {
        return argument instanceof AbstractValue known ? value(known) : NodeBuilder.super.value(argument);
    }

    @Override
    public Value constant(Object value) {
        return constant(value, null);
    }

    /** The value in the made graph that stands for what is known; containers are put together anew. */
    Value value(AbstractValue known) {
        if (known instanceof Open open) {
            return open.value();
        }
        return known instanceof Known constant
                ? constant(constant.value(), constant.origin())
                : container((Held) known);
    }

    Value constant(Object value, Node origin) {
        boolean plain = value == null
                || value instanceof Long
                || value instanceof Boolean
                || value instanceof Double
                || value instanceof String;
        Value made = plain ? spelled.get(value) : objects.get(value);
        if (made != null) {
            return made;
        }
        Type type = origin != null && value != null ? origin.output().type() : RuntimeTypes.of(value);
        Node node = graph.constant(value, type);
        if (origin != null) {
            node.attributes().putAll(origin.attributes());
            node.range(origin.range());
            node.output().name(origin.output().name());
        }
        constants.add(node);
        if (value instanceof Tensor tensor) {
            literals.computeIfAbsent(tensor.storage(), s -> new ArrayList<>()).add(node);
        }
        if (plain) {
            spelled.put(value, node.output());
        } else {
            objects.put(value, node.output());
        }
        return node.output();
    }

    /** Constants that were spelled of a tensor keep what it holds, as it is about to be written to. */
    void keep(Storage storage) {
        List<Node> written = literals.remove(storage);
        if (written != null) {
            for (Node node : written) {
                Tensor tensor = (Tensor) node.attribute("value");
                objects.remove(tensor);
                node.attribute("value", tensor.copy(MemoryFormat.CONTIGUOUS));
            }
        }
    }

    private Value container(Held held) {
        Object container = held.container();
        if (container instanceof Instance instance) {
            return instance(instance);
        }
        if (container instanceof ScriptList list && isPlain(list)) {
            List<Object> items =
                    list.items().stream().map(item -> ((Known) item).value()).collect(Streams.toList());
            Node node = graph.constant(new ScriptList(list.elementType(), items), held.type());
            constants.add(node);
            return node.output();
        }
        List<Value> items = new ArrayList<>();
        if (container instanceof ScriptDict dict) {
            dict.items().forEach((key, item) -> {
                items.add(constant(key, null));
                items.add(value((AbstractValue) item));
            });
        } else {
            items(container).forEach(item -> items.add(value(item)));
        }
        Node made = create(
                container instanceof ScriptList
                        ? Prim.LIST_CONSTRUCT
                        : container instanceof ScriptTuple ? Prim.TUPLE_CONSTRUCT : Prim.DICT_CONSTRUCT);
        items.forEach(made::addInput);
        made.addOutput(held.type());
        return append(made).output();
    }

    private static boolean isPlain(ScriptList list) {
        return list.size() > 0
                && list.items().stream()
                        .allMatch(item -> item instanceof Known known
                                && (known.value() instanceof Long
                                        || known.value() instanceof Double
                                        || known.value() instanceof Boolean
                                        || known.value() instanceof String));
    }

    /** The items of a list or tuple that is followed. */
    static List<AbstractValue> items(Object container) {
        List<Object> items = container instanceof ScriptList list ? list.items() : ((ScriptTuple) container).items();
        return items.stream().map(item -> (AbstractValue) item).collect(Streams.toList());
    }

    private Value instance(Instance instance) {
        Node made = create(Prim.CREATE_OBJECT);
        Value object = made.addOutput(instance.type());
        append(made);
        instance.attributes().forEach((name, attribute) -> {
            Value value = value(attribute);
            append(create(Prim.SET_ATTR)
                    .attribute("name", name)
                    .addInput(object)
                    .addInput(value));
        });
        return object;
    }

    /** An error unless a tensor has these sizes, appended. */
    void requireSizes(Value tensor, int[] wanted, String subject) {
        List<Object> sizes =
                Arrays.stream(wanted).mapToObj(size -> (Object) (long) size).collect(Streams.toList());
        require(
                haveOtherSizes(tensor, wanted),
                subject + " has another shape (expected: " + sizes + ", as when the model was converted)");
    }

    /** An error unless a truth value is false, appended. */
    void require(Value wrong, String message) {
        Node check = create(Prim.IF).attribute(GUARD, true).addInput(wrong);
        Block raise = check.addBlock();
        check.addBlock();
        Block outer = current;
        append(check);
        current = raise;
        raise(message);
        current = outer;
    }

    /** Drops all that was made. */
    void discard() {
        holder.destroy();
    }

    /** Takes the place of what the graph holds, and returns {@code results}. */
    void commit(List<Value> results) {
        Block block = graph.block();
        for (int i = 0; i < results.size(); i++) {
            block.returns().setInput(i, results.get(i));
        }
        List<Node> old = List.copyOf(block.nodes());
        for (int i = old.size() - 1; i >= 0; i--) {
            old.get(i).destroy();
        }
        constants.forEach(block::append);
        for (Node node : List.copyOf(root.nodes())) {
            root.remove(node);
            block.append(node);
        }
    }
}
