package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * One walk through a graph, block by block: branches whose condition is known are taken, loops whose turns are known
 * are unrolled, containers are followed, and what is left is made anew in a {@link ResidualGraph}.
 */
final class AbstractInterpreter {
    /** A model that asks for more is refused. */
    private static final long MAX_NODES = 100_000;

    private static final long MAX_STEPS = 5_000_000;

    private final Graph graph;
    private final WideningState widening;
    private final ResidualGraph residual;
    private final Map<Value, AbstractValue> values = new IdentityHashMap<>();
    private final Map<Value, List<TensorFacts>> facts = new IdentityHashMap<>();
    private final OperatorEvaluator evaluator;
    private final ModuleState state;
    private final OptionalAttributes optionals;
    private final ArgumentSources sources;
    private final SizeDecisions decisions;
    private final ContainerEvaluator containers;
    private final ControlFlowEvaluator blocks;
    private Map<Value, Set<Node>> writers;
    private long steps;

    /** @param module what the graph's first input is, or null */
    AbstractInterpreter(Graph graph, WideningState widening, ScriptObject module) {
        this.graph = graph;
        this.widening = widening;
        this.residual = new ResidualGraph(graph);
        this.evaluator = new OperatorEvaluator(this, residual, widening);
        this.state = new ModuleState(residual, widening);
        this.optionals = new OptionalAttributes(this, residual);
        this.sources = new ArgumentSources(graph);
        this.decisions = new SizeDecisions(widening.isTrial() ? widening::decided : null);
        this.containers = new ContainerEvaluator(this, residual, widening);
        this.blocks = new ControlFlowEvaluator(this, residual, widening);
        if (module != null) {
            state.object(graph.inputs().get(0), module);
        }
    }

    /** @param inputs examples of the inputs, without the module */
    List<Value> run(List<?> inputs) {
        new ExampleArguments(residual, widening, this::open)
                .read(graph.inputs(), inputs)
                .forEach(values::put);
        evaluate(graph.block());
        List<AbstractValue> results = graph.block().results().stream()
                .map(result -> evaluator.returned(of(result)))
                .collect(Streams.toList());
        state.end(results, this);
        return results.stream().map(residual::value).collect(Streams.toList());
    }

    ResidualGraph residual() {
        return residual;
    }

    Graph graph() {
        return graph;
    }

    OptionalAttributes optionals() {
        return optionals;
    }

    ModuleState state() {
        return state;
    }

    /** What the shapes follow from that became constants. */
    ArgumentSources sources() {
        return sources;
    }

    /** What numbers that were read off shapes decide. */
    SizeDecisions decisions() {
        return decisions;
    }

    ContainerEvaluator containers() {
        return containers;
    }

    UnbackedDims openRows() {
        return evaluator.openRows();
    }

    /** What is known goes where it is written to under another name, of the graph that is walked through. */
    void joins(Value other, AbstractValue known) {
        if (isWritten(other)) {
            evaluator.leaveOpen(known);
        }
    }

    long steps() {
        return steps;
    }

    /** Counts a turn of a loop. */
    void step() {
        steps++;
    }

    Map<Value, List<TensorFacts>> facts() {
        return facts;
    }

    /** Which of what was made are rows whose number elements decide. */
    RowTable rows() {
        return evaluator.openRows().table();
    }

    /** Whether something writes to a value of the graph that is walked through, under any name. */
    boolean isWritten(Value value) {
        writers = writers == null ? PartialEvaluation.writers(graph) : writers;
        return writers.containsKey(value);
    }

    AbstractValue of(Value value) {
        AbstractValue known = values.get(value);
        if (known == null) {
            throw new IllegalStateException("value " + value + " has no definition (expected: a verified graph)");
        }
        return known;
    }

    void define(Value value, AbstractValue known) {
        values.put(value, known);
    }

    /** What a node makes is a container that is followed. */
    void hold(Node node, Object container) {
        define(node.output(), new Held(container, node.output().type(), node, residual.current()));
    }

    /** Something that is computed in every run; what is known of tensors is noted. */
    AbstractValue open(Value made, Object sample) {
        return open(made, sample, null);
    }

    /** The same of a tensor of such a type and sizes. */
    Value tensor(Value made, DType dtype, int... sizes) {
        open(made, Tensor.zeros(dtype, sizes));
        return made;
    }

    /** @param site what makes a list of tensors whose number is known, which is followed; null where it stays a list */
    private AbstractValue open(Value made, Object sample, Node site) {
        if (sample instanceof Tensor tensor) {
            facts.put(made, List.of(TensorFacts.of(tensor)));
            return new Open(made, tensor);
        }
        if (sample instanceof ScriptList list
                && !list.items().isEmpty()
                && list.items().stream().allMatch(Tensor.class::isInstance)
                && made.type() instanceof Type.ListType type
                && type.element() == Type.Basic.TENSOR) {
            facts.put(
                    made,
                    list.items().stream()
                            .map(item -> TensorFacts.of((Tensor) item))
                            .collect(Streams.toList()));
            if (site == null || widening.isOpen(site)) {
                return new Open(made, list);
            }
            List<Value> parts = residual.unpack(made, list.size());
            ScriptList items = new ScriptList(Type.Basic.TENSOR);
            for (int i = 0; i < parts.size(); i++) {
                items.items().add(open(parts.get(i), list.get(i)));
            }
            return new Held(items, made.type(), site, residual.current());
        }
        return new Open(made, null);
    }

    void evaluate(Block block) {
        Map<Node, List<Value>> last = lastUses(block);
        for (Node node : block.nodes()) {
            Interruption.check();
            widening.visits();
            if (++steps > MAX_STEPS || residual.size() > MAX_NODES) {
                throw new IllegalStateException(
                        "more than " + (steps > MAX_STEPS ? MAX_STEPS + " steps" : MAX_NODES + " nodes")
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
                    Node user = use.user().within(block);
                    latest = user == block.returns() || latest == block.returns()
                            ? block.returns()
                            : order.get(user) > order.get(latest) ? user : latest;
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
        AbstractValue again = optionals.filledBefore(node);
        if (again != null) {
            define(node.output(), again);
            return;
        }
        Map<Value, AbstractValue> before = new IdentityHashMap<>();
        for (Value input : node.inputs()) {
            AbstractValue filled = optionals.filled(of(input), node);
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
            case Prim.CONSTANT -> define(node.output(), constant(node));
            case Prim.LIST_CONSTRUCT, Prim.TUPLE_CONSTRUCT, Prim.DICT_CONSTRUCT -> containers.construct(node);
            case Prim.LIST_UNPACK, Prim.TUPLE_UNPACK -> containers.unpack(node);
            case Prim.TUPLE_INDEX -> containers.index(node);
            case Prim.CREATE_OBJECT -> containers.create(node);
            case Prim.GET_ATTR, Prim.SET_ATTR -> containers.attribute(node);
            case Prim.UNCHECKED_CAST -> cast(node);
            case "aten::_unwrap_optional", "prim::unchecked_unwrap_optional" -> {
                AbstractValue taken =
                        of(node.input(0)) instanceof Open optional ? optionals.taken(node, optional) : null;
                if (taken != null) {
                    define(node.output(), taken);
                } else {
                    evaluator.visit(node);
                }
            }
            case Prim.IS_INSTANCE -> isInstance(node);
            case Prim.IF -> blocks.branch(node);
            case Prim.LOOP -> blocks.loop(node);
            case "prim::RaiseException" -> {
                if (residual.isCertain()) {
                    throw new IllegalStateException("the model raises: "
                            + (of(node.input(0)) instanceof Known known ? known.value() : "an exception"));
                }
                residualize(node);
            }
            default -> {
                if (!node.blocks().isEmpty()) {
                    blocks.leaveWhole(node);
                } else if (node.schema() == null) {
                    residualize(node);
                } else {
                    evaluator.visit(node);
                }
            }
        }
    }

    private AbstractValue constant(Node node) {
        Object value = node.attribute("value");
        if (widening.isOpen(node) && value instanceof Tensor tensor) {
            return open(residual.constant(value, node), tensor.copy(MemoryFormat.CONTIGUOUS));
        }
        return value instanceof ScriptList || value instanceof ScriptTuple || value instanceof ScriptDict
                ? containers.followed(value, node.output().type(), node)
                : new Known(value, node);
    }

    void moduleAttribute(Node node) {
        if (node.is(Prim.SET_ATTR)) {
            if (!state.set(node, this)) {
                residualize(node);
            }
            return;
        }
        AbstractValue read = state.read(node, this);
        if (read != null) {
            define(node.output(), read);
        } else {
            residualize(node);
        }
    }

    private void cast(Node node) {
        AbstractValue known = of(node.input(0));
        AbstractValue taken = known instanceof Open optional ? optionals.taken(node, optional) : null;
        if (taken != null) {
            define(node.output(), taken);
        } else if (known instanceof Open open
                && !open.value().type().equals(node.output().type())) {
            Node made = residual.copy(node, List.of(open.value()));
            define(node.output(), open(made.output(), open.sample()));
            evaluator.openRows().same(made.output(), open);
        } else {
            define(node.output(), known);
        }
    }

    private void isInstance(Node node) {
        AbstractValue known = of(node.input(0));
        List<?> types = (List<?>) node.attribute("types");
        boolean decided = known instanceof Known || !isVague(ContainerEvaluator.typeOf(known));
        if (decided && types != null) {
            define(
                    node.output(),
                    new Known(types.stream()
                            .anyMatch(type -> known instanceof Known constant
                                    ? RuntimeTypes.isInstance(constant.value(), (Type) type)
                                    : TypeRelations.isSubtype(ContainerEvaluator.typeOf(known), (Type) type))));
        } else {
            residualize(node);
        }
    }

    private static boolean isVague(Type type) {
        return type == Type.Basic.ANY
                || type instanceof Type.OptionalType
                || type instanceof Type.UnionType
                || type instanceof Type.TupleType tuple
                        && tuple.elements().stream().anyMatch(AbstractInterpreter::isVague);
    }

    /** Makes the node anew, whatever it does. */
    void residualize(Node node) {
        residualize(node, null);
    }

    /**
     * Walks through a function as if it stood here.
     *
     * @return its results, those of a tuple one by one
     */
    List<AbstractValue> follow(Graph function, List<AbstractValue> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            define(function.inputs().get(i), arguments.get(i));
        }
        evaluate(function.block());
        AbstractValue result = of(function.block().results().get(0));
        List<AbstractValue> results = new ArrayList<>();
        if (result instanceof Held held && held.container() instanceof ScriptTuple) {
            ResidualGraph.items(held.container()).forEach(item -> results.add(item));
        } else {
            results.add(result);
        }
        return results;
    }

    /** @param samples of the outputs, or null */
    void residualize(Node node, Object[] samples) {
        if (node.is(Prim.CALL_METHOD) || node.is(Prim.CALL_FUNCTION)) {
            state.meetUnknown();
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            if (node.schema() == null && !NodeBuilder.isRaise(node)) {
                escape(of(node.input(i)));
            }
        }
        List<Value> inputs = new ArrayList<>();
        node.inputs().forEach(input -> inputs.add(residual.value(of(input))));
        Node made = residual.copy(node, inputs);
        for (int i = 0; i < node.outputs().size(); i++) {
            define(node.output(i), open(made.output(i), samples == null ? null : samples[i], node));
        }
    }

    /** A container goes where it may be written to under another name. */
    void escape(AbstractValue known) {
        if (known instanceof Held held) {
            if (!(held.container() instanceof ScriptTuple)) {
                widening.site(held.site());
            } else {
                ResidualGraph.items(held.container()).forEach(this::escape);
            }
        }
    }

    static Object sample(AbstractValue known) {
        return known instanceof Open open
                ? open.sample()
                : known instanceof Known constant && constant.value() instanceof Tensor ? constant.value() : null;
    }
}
