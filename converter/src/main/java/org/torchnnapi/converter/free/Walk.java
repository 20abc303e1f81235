package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.torchnnapi.converter.free.Abstract.Held;
import org.torchnnapi.converter.free.Abstract.Instance;
import org.torchnnapi.converter.free.Abstract.Known;
import org.torchnnapi.converter.free.Abstract.Open;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * One walk through a graph, block by block: branches whose condition is known are taken, loops whose turns are known are unrolled, containers
 * are followed, and what is left is made anew in a {@link Residue}.
 */
final class Walk {
    /** A loop whose turns leave more nodes than this, or take more steps, stays a loop. */
    private static final long MAX_UNROLLED_NODES = 20_000;
    private static final long MAX_LOOP_STEPS = 50_000;
    /** A model that asks for more is refused. */
    private static final long MAX_NODES = 100_000;
    private static final long MAX_STEPS = 5_000_000;

    private final Graph graph;
    private final Openings openings;
    private final Residue residue;
    private final Map<Value, Abstract> values = new IdentityHashMap<>();
    private final Map<Value, List<TensorFacts>> facts = new IdentityHashMap<>();
    private final Calls calls;
    private final ModuleState state;
    private final Optionals optionals;
    private Map<Value, Set<Node>> writers;
    private long steps;

    /** @param module what the graph's first input is, or null */
    Walk(Graph graph, Openings openings, ScriptObject module) {
        this.graph = graph;
        this.openings = openings;
        this.residue = new Residue(graph);
        this.calls = new Calls(this, residue, openings);
        this.state = new ModuleState(residue, openings);
        this.optionals = new Optionals(this, residue);
        if (module != null) {
            state.object(graph.inputs().get(0), module);
        }
    }

    /** @param inputs examples of the inputs, without the module */
    List<Value> run(List<?> inputs) {
        new ExampleArguments(residue, openings, this::open).read(graph.inputs(), inputs).forEach(values::put);
        walk(graph.block());
        List<Abstract> results = graph.block().results().stream().map(result -> calls.returned(of(result))).collect(Streams.toList());
        state.end(results, this);
        return results.stream().map(residue::value).collect(Streams.toList());
    }

    Residue residue() {
        return residue;
    }

    Optionals optionals() {
        return optionals;
    }

    Map<Value, List<TensorFacts>> facts() {
        return facts;
    }

    /** Which of what was made are rows whose number elements decide. */
    RowTable rows() {
        return calls.openRows().table();
    }

    /** Whether something writes to a value of the graph that is walked through, under any name. */
    boolean isWritten(Value value) {
        writers = writers == null ? Specialisation.writers(graph) : writers;
        return writers.containsKey(value);
    }

    Abstract of(Value value) {
        Abstract known = values.get(value);
        if (known == null) {
            throw new IllegalStateException("value " + value + " has no definition (expected: a verified graph)");
        }
        return known;
    }

    void define(Value value, Abstract known) {
        values.put(value, known);
    }

    /** Something that is computed in every run; what is known of tensors is noted. */
    Abstract open(Value made, Object sample) {
        return open(made, sample, null);
    }

    /** @param site what makes a list of tensors whose number is known, which is followed; null where it stays a list */
    private Abstract open(Value made, Object sample, Node site) {
        if (sample instanceof Tensor tensor) {
            facts.put(made, List.of(TensorFacts.of(tensor)));
            return new Open(made, tensor);
        }
        if (sample instanceof ScriptList list && !list.items().isEmpty() && list.items().stream().allMatch(Tensor.class::isInstance)
            && made.type() instanceof Type.ListType type && type.element() == Type.Basic.TENSOR) {
            facts.put(made, list.items().stream().map(item -> TensorFacts.of((Tensor) item)).collect(Streams.toList()));
            if (site == null || openings.isOpen(site)) {
                return new Open(made, list);
            }
            Node unpack = residue.create("prim::ListUnpack").addInput(made);
            ScriptList items = new ScriptList(Type.Basic.TENSOR);
            residue.append(unpack);
            list.items().forEach(item -> items.items().add(open(unpack.addOutput(Type.Basic.TENSOR), item)));
            return new Held(items, made.type(), site, residue.current());
        }
        return new Open(made, null);
    }

    private void walk(Block block) {
        Map<Node, List<Value>> last = lastUses(block);
        for (Node node : block.nodes()) {
            if (++steps > MAX_STEPS || residue.size() > MAX_NODES) {
                throw new IllegalStateException("more than " + (steps > MAX_STEPS ? MAX_STEPS + " steps" : MAX_NODES + " nodes")
                    + " for inputs of these shapes (expected: a model of ordinary size)");
            }
            visitFilled(node);
            last.getOrDefault(node, List.of()).forEach(values::remove);
        }
    }

    /** Values of the block by the node of the block that is the last to read them, lest samples outlive their use. */
    private static Map<Node, List<Value>> lastUses(Block block) {
        Map<Node, Integer> order = new IdentityHashMap<>();
        for (Node node : block.nodes()) {
            order.put(node, order.size());
        }
        Map<Node, List<Value>> last = new IdentityHashMap<>();
        for (Node node : block.nodes()) {
            for (Value output : node.outputs()) {
                Node latest = node;
                for (Value.Use use : output.uses()) {
                    Node user = use.user();
                    while (user.owner() != block) {
                        user = user.owner().parent();
                    }
                    latest = user == block.returns() || latest == block.returns() ? block.returns() : order.get(user) > order.get(latest) ? user : latest;
                }
                if (latest != block.returns()) {
                    last.computeIfAbsent(latest, n -> new ArrayList<>()).add(output);
                }
            }
        }
        return last;
    }

    /** Visits a node, which works on tensors that have elements. */
    private void visitFilled(Node node) {
        Abstract again = optionals.filledBefore(node);
        if (again != null) {
            define(node.output(), again);
            return;
        }
        Map<Value, Abstract> before = new IdentityHashMap<>();
        for (Value input : node.inputs()) {
            Abstract filled = optionals.filled(of(input), node);
            if (filled != null) {
                before.put(input, of(input));
                define(input, filled);
            }
        }
        visit(node);
        before.forEach(this::define);
    }

    private void visit(Node node) {
        switch (node.kind()) {
            case "prim::Constant" -> define(node.output(), constant(node));
            case "prim::ListConstruct", "prim::TupleConstruct", "prim::DictConstruct" -> construct(node);
            case "prim::ListUnpack", "prim::TupleUnpack" -> unpack(node);
            case "prim::TupleIndex" -> index(node);
            case "prim::CreateObject" -> create(node);
            case "prim::GetAttr", "prim::SetAttr" -> attribute(node);
            case "prim::unchecked_cast" -> cast(node);
            case "aten::_unwrap_optional", "prim::unchecked_unwrap_optional" -> {
                Abstract taken = of(node.input(0)) instanceof Open optional ? optionals.taken(node, optional) : null;
                if (taken != null) {
                    define(node.output(), taken);
                } else {
                    calls.visit(node);
                }
            }
            case "prim::isinstance" -> isInstance(node);
            case "prim::If" -> branch(node);
            case "prim::Loop" -> loop(node);
            case "prim::RaiseException" -> {
                if (residue.isCertain()) {
                    throw new IllegalStateException("the model raises: " + (of(node.input(0)) instanceof Known known ? known.value() : "an exception"));
                }
                leave(node);
            }
            default -> {
                if (!node.blocks().isEmpty()) {
                    leaveWhole(node);
                } else if (node.schema() == null) {
                    leave(node);
                } else {
                    calls.visit(node);
                }
            }
        }
    }

    private Abstract constant(Node node) {
        Object value = node.attribute("value");
        if (openings.isOpen(node) && value instanceof Tensor tensor) {
            return open(residue.constant(value, node), tensor.copy(MemoryFormat.CONTIGUOUS));
        }
        return value instanceof ScriptList || value instanceof ScriptTuple || value instanceof ScriptDict ? followed(value, node.output().type(), node)
            : new Known(value, node);
    }

    /** A container of constants, or one that an operator made of what is followed. */
    Abstract followed(Object value, Type type, Object site) {
        if (value instanceof Abstract known) {
            return known;
        }
        if (value instanceof ScriptList list) {
            ScriptList items = new ScriptList(list.elementType());
            list.items().forEach(item -> items.items().add(followed(item, list.elementType(), site)));
            return new Held(items, type instanceof Type.ListType ? type : Type.list(list.elementType()), site, residue.current());
        }
        if (value instanceof ScriptDict dict) {
            ScriptDict items = new ScriptDict(dict.keyType(), dict.valueType());
            dict.items().forEach((key, item) -> items.items().put(key, followed(item, dict.valueType(), site)));
            return new Held(items, type instanceof Type.DictType ? type : new Type.DictType(dict.keyType(), dict.valueType()), site, residue.current());
        }
        if (value instanceof ScriptTuple tuple) {
            Type.TupleType known = type instanceof Type.TupleType given ? given : tuple.type();
            List<Abstract> items = new ArrayList<>();
            for (int i = 0; i < tuple.size(); i++) {
                items.add(followed(tuple.get(i), known != null ? known.elements().get(i) : Type.Basic.ANY, site));
            }
            return new Held(new ScriptTuple(items, tuple.type()), known != null ? known : Type.TupleType.of(items.stream().map(Walk::typeOf).collect(Streams.toList())), site,
                residue.current());
        }
        return new Known(value);
    }

    private static Type typeOf(Abstract known) {
        return known instanceof Open open ? open.value().type() : known instanceof Held held ? held.type() : RuntimeTypes.of(((Known) known).value());
    }

    private void construct(Node node) {
        if (openings.isOpen(node)) {
            leave(node);
            return;
        }
        Type type = node.output().type();
        List<Abstract> items = node.inputs().stream().map(this::of).collect(Streams.toList());
        Object container;
        if (node.is("prim::ListConstruct")) {
            container = new ScriptList(type instanceof Type.ListType list ? list.element() : Type.Basic.ANY, items);
        } else if (node.is("prim::TupleConstruct")) {
            container = new ScriptTuple(items, type instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null);
        } else {
            ScriptDict dict = new ScriptDict(((Type.DictType) type).key(), ((Type.DictType) type).value());
            for (int i = 0; i < items.size(); i += 2) {
                if (!(items.get(i) instanceof Known key)) {
                    leave(node);
                    return;
                }
                dict.items().put(key.value(), items.get(i + 1));
            }
            container = dict;
        }
        define(node.output(), new Held(container, type, node, residue.current()));
    }

    private void unpack(Node node) {
        if (!(of(node.input(0)) instanceof Held held)) {
            leave(node);
            return;
        }
        List<Abstract> items = Residue.items(held.container());
        if (items.size() != node.outputs().size()) {
            throw new IllegalStateException("a list of " + items.size() + " items (expected: " + node.outputs().size() + ")");
        }
        for (int i = 0; i < items.size(); i++) {
            define(node.output(i), items.get(i));
        }
    }

    private void index(Node node) {
        if (of(node.input(0)) instanceof Held held && of(node.input(1)) instanceof Known known && known.value() instanceof Long at) {
            List<Abstract> items = Residue.items(held.container());
            define(node.output(), items.get((int) (at < 0 ? at + items.size() : at)));
        } else {
            leave(node);
        }
    }

    private void create(Node node) {
        if (openings.isOpen(node) || !(node.output().type() instanceof ClassType type)) {
            leave(node);
        } else {
            define(node.output(), new Held(new Instance(type), type, node, residue.current()));
        }
    }

    private void attribute(Node node) {
        if (!(of(node.input(0)) instanceof Held held && held.container() instanceof Instance instance)) {
            moduleAttribute(node);
            return;
        }
        String name = (String) node.attribute("name");
        if (node.is("prim::SetAttr")) {
            if (held.home() != residue.current()) {
                openings.site(held.site());
            }
            instance.attributes().put(name, of(node.input(1)));
        } else if (instance.attributes().containsKey(name)) {
            define(node.output(), instance.attributes().get(name));
        } else {
            openings.site(held.site());
            throw new Openings.Again();
        }
    }

    private void moduleAttribute(Node node) {
        if (node.is("prim::SetAttr")) {
            if (!state.set(node, this)) {
                leave(node);
            }
            return;
        }
        Abstract read = state.read(node, this);
        if (read != null) {
            define(node.output(), read);
        } else {
            leave(node);
        }
    }

    private void cast(Node node) {
        Abstract known = of(node.input(0));
        Abstract taken = known instanceof Open optional ? optionals.taken(node, optional) : null;
        if (taken != null) {
            define(node.output(), taken);
        } else if (known instanceof Open open && !open.value().type().equals(node.output().type())) {
            Node made = residue.copy(node, List.of(open.value()));
            define(node.output(), open(made.output(), open.sample()));
            calls.openRows().same(made.output(), open);
        } else {
            define(node.output(), known);
        }
    }

    private void isInstance(Node node) {
        Abstract known = of(node.input(0));
        List<?> types = (List<?>) node.attribute("types");
        boolean decided = known instanceof Known || !isVague(typeOf(known));
        if (decided && types != null) {
            define(node.output(), new Known(types.stream().anyMatch(type -> known instanceof Known constant ? RuntimeTypes.isInstance(constant.value(), (Type) type)
                : org.torchnnapi.torchscript.ir.TypeRelations.isSubtype(typeOf(known), (Type) type))));
        } else {
            leave(node);
        }
    }

    private static boolean isVague(Type type) {
        return type == Type.Basic.ANY || type instanceof Type.OptionalType || type instanceof Type.UnionType
            || type instanceof Type.TupleType tuple && tuple.elements().stream().anyMatch(Walk::isVague);
    }

    /** Makes the node anew, whatever it does. */
    void leave(Node node) {
        leave(node, null);
    }

    /**
     * Walks through a function as if it stood here.
     *
     * @return its results, those of a tuple one by one
     */
    List<Abstract> follow(Graph function, List<Abstract> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            define(function.inputs().get(i), arguments.get(i));
        }
        walk(function.block());
        Abstract result = of(function.block().results().get(0));
        List<Abstract> results = new ArrayList<>();
        if (result instanceof Held held && held.container() instanceof ScriptTuple) {
            Residue.items(held.container()).forEach(item -> results.add((Abstract) item));
        } else {
            results.add(result);
        }
        return results;
    }

    /** @param samples of the outputs, or null */
    void leave(Node node, Object[] samples) {
        if (node.is("prim::CallMethod") || node.is("prim::CallFunction")) {
            state.meetUnknown();
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            if (node.schema() == null && !node.is("prim::RaiseException")) {
                escape(of(node.input(i)));
            }
        }
        List<Value> inputs = new ArrayList<>();
        node.inputs().forEach(input -> inputs.add(residue.value(of(input))));
        Node made = residue.copy(node, inputs);
        for (int i = 0; i < node.outputs().size(); i++) {
            define(node.output(i), open(made.output(i), samples == null ? null : samples[i], node));
        }
    }

    /** A container goes where it may be written to under another name. */
    void escape(Abstract known) {
        if (known instanceof Held held) {
            if (!(held.container() instanceof ScriptTuple)) {
                openings.site(held.site());
            } else {
                Residue.items(held.container()).forEach(this::escape);
            }
        }
    }

    private void leaveWhole(Node node) {
        state.meetUnknown();
        Map<Value, Value> names = new HashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            public Value get(Object value) {
                Value own = super.get(value);
                if (own == null) {
                    escape(of((Value) value));
                    own = residue.value(of((Value) value));
                }
                return own;
            }
        };
        Node alone = residue.append(new BlockCopy(graph, names).copyOf(node));
        for (int i = 0; i < node.outputs().size(); i++) {
            define(node.output(i), open(alone.output(i), null));
        }
    }

    private void branch(Node node) {
        if (of(node.input(0)) instanceof Known known && known.value() instanceof Boolean taken) {
            Block block = node.blocks().get(taken ? 0 : 1);
            walk(block);
            for (int i = 0; i < node.outputs().size(); i++) {
                define(node.output(i), of(block.results().get(i)));
            }
            return;
        }
        Block outer = residue.current();
        Node made = residue.create("prim::If").range(node.range()).addInput(residue.value(of(node.input(0))));
        made.attributes().putAll(node.attributes());
        List<List<Abstract>> ends = new ArrayList<>();
        for (Block block : node.blocks()) {
            residue.enter(made.addBlock());
            walk(block);
            ends.add(block.results().stream().map(this::of).collect(Streams.toList()));
        }
        residue.enter(outer);
        residue.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            define(node.output(i), joined(made, node.output(i).type(), node.output(i).name(), ends.get(0).get(i), ends.get(1).get(i)));
        }
    }

    private Abstract joined(Node made, Type type, String name, Abstract one, Abstract other) {
        if (one == other || one instanceof Known a && other instanceof Known b && !(a.value() instanceof Tensor) && Objects.equals(a.value(), b.value())
            && (a.value() == null || a.value().getClass() == b.value().getClass())) {
            return one;
        }
        if (one instanceof Held a && a.container() instanceof ScriptTuple first && other instanceof Held b && b.container() instanceof ScriptTuple second
            && first.size() == second.size() && type instanceof Type.TupleType tuple) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < first.size(); i++) {
                items.add(joined(made, tuple.elements().get(i), null, (Abstract) first.get(i), (Abstract) second.get(i)));
            }
            return new Held(new ScriptTuple(items, tuple.name() != null ? tuple : null), type, made, residue.current());
        }
        Block outer = residue.current();
        Abstract[] ways = {one, other};
        Object[] samples = new Object[2];
        boolean[] raises = new boolean[2];
        for (int i = 0; i < 2; i++) {
            Block inner = made.blocks().get(i);
            if (ways[i] instanceof Held held && held.home() != inner) {
                escape(held);
            }
            residue.enter(inner);
            Abstract filled = optionals.filled(ways[i], made);
            ways[i] = filled == null ? ways[i] : filled;
            inner.addResult(residue.value(ways[i]));
            samples[i] = sample(ways[i]);
            raises[i] = inner.nodes().stream().anyMatch(node -> node.is("prim::RaiseException"));
        }
        residue.enter(outer);
        Object sample = raises[0] ? samples[1] : raises[1] || sameShapes(samples[0], samples[1]) ? samples[0] : null;
        Value out = made.addOutput(type).name(name);
        Abstract joined = open(out, sample);
        if (sample == null) {
            optionals.join(out, one, other);
            calls.openRows().join(out, raises[1] ? one : raises[0] ? other : one, raises[0] ? other : raises[1] ? one : other);
        }
        return joined;
    }

    static Object sample(Abstract known) {
        return known instanceof Open open ? open.sample() : known instanceof Known constant && constant.value() instanceof Tensor ? constant.value() : null;
    }

    private static boolean sameShapes(Object one, Object other) {
        return one instanceof Tensor a && other instanceof Tensor b && TensorFacts.of(a).equals(TensorFacts.of(b));
    }

    private void loop(Node node) {
        boolean known = of(node.input(0)) instanceof Known trips && trips.value() instanceof Long && of(node.input(1)) instanceof Known start
            && start.value() instanceof Boolean;
        if (known && !openings.staysLoop(node) && node.attribute(Node.STAYS) == null) {
            unroll(node, (Long) ((Known) of(node.input(0))).value(), (Boolean) ((Known) of(node.input(1))).value());
        } else {
            leaveLoop(node);
        }
    }

    private void unroll(Node node, long trips, boolean start) {
        Block body = node.blocks().get(0);
        List<Abstract> carried = node.inputs().subList(2, node.inputs().size()).stream().map(this::of).collect(Streams.toList());
        boolean goes = start;
        long before = residue.size();
        long stepsBefore = steps;
        for (long turn = 0; goes && turn < trips; turn++) {
            define(body.parameters().get(0), new Known(turn));
            for (int i = 0; i < carried.size(); i++) {
                define(body.parameters().get(i + 1), carried.get(i));
            }
            walk(body);
            steps++;
            List<Abstract> results = body.results().stream().map(this::of).collect(Streams.toList());
            boolean large = residue.size() - before > MAX_UNROLLED_NODES || steps - stepsBefore > MAX_LOOP_STEPS;
            if (large || !(results.get(0) instanceof Known condition && condition.value() instanceof Boolean)) {
                openings.loop(node);
                throw new Openings.Again();
            }
            goes = (Boolean) ((Known) results.get(0)).value();
            carried = results.subList(1, results.size());
        }
        for (int i = 0; i < carried.size(); i++) {
            define(node.output(i), carried.get(i));
        }
    }

    private void leaveLoop(Node node) {
        Block body = node.blocks().get(0);
        Node made = residue.create("prim::Loop").range(node.range());
        made.attributes().putAll(node.attributes());
        for (int i = 0; i < node.inputs().size(); i++) {
            if (i >= 2) {
                escape(of(node.input(i)));
            }
            made.addInput(residue.value(of(node.input(i))));
        }
        Block outer = residue.current();
        Block inner = made.addBlock();
        residue.enter(inner);
        Object[] samples = new Object[body.parameters().size()];
        for (int i = 0; i < samples.length; i++) {
            Value parameter = body.parameters().get(i);
            Value own = inner.addParameter(parameter.type(), parameter.name());
            Object sample = i == 0 || openings.hasOpenShape(parameter) ? null : sample(of(node.input(i + 1)));
            samples[i] = sample instanceof Tensor tensor ? tensor : null;
            define(parameter, open(own, samples[i]));
        }
        state.loops(1);
        walk(body);
        state.loops(-1);
        List<Abstract> results = body.results().stream().map(this::of).collect(Streams.toList());
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof Held held && held.home() != inner) {
                escape(held);
            }
            inner.addResult(residue.value(results.get(i)));
            if (i > 0 && samples[i] != null && !sameShapes(samples[i], sample(results.get(i)))) {
                openings.shape(body.parameters().get(i));
                samples[i] = null;
            }
        }
        residue.enter(outer);
        residue.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            define(node.output(i), open(made.addOutput(node.output(i).type()).name(node.output(i).name()), samples[i + 1]));
        }
    }
}
