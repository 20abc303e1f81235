package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.torchnnapi.converter.passes.Aliases;
import org.torchnnapi.converter.passes.ControlFlow;
import org.torchnnapi.converter.passes.DeadCode;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Specialises a graph for the shapes of its inputs: runs it once on samples of them, and notes of every tensor whether its
 * shape follows from the inputs' shapes alone. Whatever does not depend on the elements of the inputs becomes a constant:
 * sizes and what is computed with them, conditions (their branches are taken), masks and tables of positions.
 *
 * <p>A value is known (the same for all inputs of these shapes), static (a tensor, or list of tensors, of known shape), or
 * neither: what depends on the elements in another way, and all that is computed from it.
 */
public final class Specialisation {
    /** Results with more elements stay computed at run time, lest a small file become a huge one. */
    private static final long MAX_CONSTANT = 64L << 20;
    private static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);
    private record Known(Object value) {
    }

    private final Graph graph;
    private final Map<Value, Known> known = new IdentityHashMap<>();
    private final Map<Value, Object> samples = new IdentityHashMap<>();
    private final Map<Value, List<TensorFacts>> facts = new IdentityHashMap<>();
    private final List<Node> folded = new ArrayList<>();
    private final Map<Node, Map<Integer, Known>> literals = new IdentityHashMap<>();
    private final Set<Storage> owned = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Values that something writes to in place, under any name. */
    private final Set<Value> written = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Values of {@link #written} that take on elements of the inputs. */
    private final Set<Value> varying;
    /** Lists that grow as the walk goes on, by all their names. */
    private final ListContents lists;
    private final Set<Node> done = Collections.newSetFromMap(new IdentityHashMap<>());

    private Specialisation(Graph graph, Set<Value> varying) {
        this.graph = graph;
        this.varying = varying;
        this.lists = new ListContents(graph);
    }

    /** A value counted as known is written to with elements of the inputs; the walk starts again without it. */
    private static final class Varies extends RuntimeException {
        private static final long serialVersionUID = 1;

        Varies() {
            super("a constant that varies", null, false, false);
        }
    }

    /**
     * Specialises {@code graph}, which is changed.
     *
     * @param inputs samples of the inputs, without the module; not changed
     * @return what is known of the tensors that are computed
     * @throws RuntimeException if an operator fails on the samples
     */
    public static Facts run(Graph graph, List<Tensor> inputs) {
        Set<Value> varying = Collections.newSetFromMap(new IdentityHashMap<>());
        while (true) {
            Specialisation walk = new Specialisation(graph, varying);
            int before = varying.size();
            try {
                walk.walk(inputs);
                walk.rewrite();
                return new Facts(walk.facts, walk.written);
            } catch (Varies again) {
                if (varying.size() == before) {
                    throw new IllegalStateException("a constant that is written to (expected: a value that the walk can leave open)", again);
                }
            }
        }
    }

    /**
     * The result.
     *
     * @param tensors per value one entry, or one per item for lists of tensors; none for values whose shape is not known
     * @param written values that are written to in place
     */
    public record Facts(Map<Value, List<TensorFacts>> tensors, Set<Value> written) {
        /** What is known of a tensor, or null. */
        public TensorFacts of(Value value) {
            List<TensorFacts> found = value.type() == Type.Basic.TENSOR ? tensors.get(value) : null;
            return found == null ? null : found.get(0);
        }
    }

    private void walk(List<Tensor> inputs) {
        collectWritten(new Aliases(graph), graph.block());
        List<Value> values = new ArrayList<>(graph.inputs());
        if (!values.isEmpty() && values.get(0).type() instanceof ClassType) {
            values.remove(0);
        }
        for (int i = 0; i < values.size() && i < inputs.size(); i++) {
            Tensor input = inputs.get(i);
            define(values.get(i), input.copy(input.isContiguous(MemoryFormat.CHANNELS_LAST) && !input.isContiguous()
                ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CONTIGUOUS));
        }
        Block block = graph.block();
        int at = 0;
        while (at < block.nodes().size()) {
            Node node = block.nodes().get(at);
            if (node.is("prim::If") && value(node.input(0)) instanceof Known condition && condition.value() instanceof Boolean taken) {
                ControlFlow.take(node, node.blocks().get(taken ? 0 : 1));
                continue;
            }
            if (node.is("prim::Loop") && ControlFlow.unroll(node, literal(node.input(0)), literal(node.input(1)))) {
                collectWritten(new Aliases(graph), graph.block());
                continue;
            }
            visit(node);
            done.add(node);
            release(node);
            at++;
        }
        for (int i = 0; i < block.results().size(); i++) {
            note(block.returns(), i);
        }
        if (lists.visit(block.returns(), this::literal, varying) == ListContents.Change.OPAQUE) {
            leaveOpen(block.results().stream().filter(result -> lists.of(result) != null).findFirst().get());
        }
    }

    private Optional<Object> literal(Value value) {
        return value(value) instanceof Known constant ? Optional.ofNullable(constant.value()) : Optional.empty();
    }

    private void collectWritten(Aliases aliases, Block block) {
        for (Node node : block.nodes()) {
            if (Effects.mutates(node)) {
                FunctionSchema schema = node.schema();
                for (int i = 0; i < node.inputs().size(); i++) {
                    if (schema == null || i < schema.arguments().size() && schema.arguments().get(i).mutated()) {
                        // Who changes a list leaves the tensors in it as they are.
                        boolean tensor = node.input(i).type() == Type.Basic.TENSOR || schema == null;
                        aliases.of(node.input(i)).stream().filter(value -> tensor || value.type() != Type.Basic.TENSOR).forEach(written::add);
                    }
                }
            }
            node.blocks().forEach(inner -> collectWritten(aliases, inner));
        }
    }

    /** A {@link Known}, a sample, or null. */
    private Object value(Value value) {
        List<Value> items = lists.of(value);
        if (items != null) {
            List<Object> made = new ArrayList<>();
            boolean constant = true;
            for (Value item : items) {
                Object own = value(item);
                if (own == null) {
                    return null;
                }
                constant &= own instanceof Known;
                made.add(own instanceof Known k ? k.value() : own);
            }
            ScriptList list = new ScriptList(value.type() instanceof Type.ListType type ? type.element() : Type.Basic.ANY, made);
            return constant ? new Known(list) : list;
        }
        Known constant = known.get(value);
        return constant != null ? constant : samples.get(value);
    }

    private void visit(Node node) {
        boolean grows = node.is("prim::ListConstruct") && written.contains(node.output());
        if (grows || node.inputs().stream().anyMatch(input -> lists.of(input) != null)) {
            ListContents.Change change = lists.visit(node, input -> literal(input), varying);
            if (change == ListContents.Change.OPAQUE) {
                leaveOpen(node.inputs().stream().filter(input -> lists.of(input) != null).findFirst().get());
            }
            if (change == ListContents.Change.DONE) {
                folded.add(node);
                if (lists.length(node) >= 0) {
                    known.put(node.output(), new Known((long) lists.length(node)));
                }
                Value item = lists.item(node);
                if (item != null) {
                    Object sample = value(item);
                    if (sample instanceof Known k) {
                        known.put(node.output(), k);
                    } else if (sample != null) {
                        define(node.output(), sample);
                    }
                }
                return;
            }
        }
        switch (node.kind()) {
            case "prim::Constant" -> {
                known.put(node.output(), new Known(node.attribute("value")));
                return;
            }
            case "prim::ListConstruct", "prim::TupleConstruct" -> {
                construct(node);
                return;
            }
            case "prim::ListUnpack", "prim::TupleUnpack" -> {
                unpack(node);
                return;
            }
            case "prim::unchecked_cast" -> {
                Object value = value(node.input(0));
                if (value instanceof Known constant) {
                    known.put(node.output(), constant);
                    folded.add(node);
                } else {
                    noteInputs(node);
                    if (value != null) {
                        define(node.output(), value);
                    }
                }
                return;
            }
            default -> { }
        }
        if (!node.blocks().isEmpty() || node.schema() == null) {
            noteInputs(node);
            return;
        }
        call(node);
    }

    private void construct(Node node) {
        List<Object> items = new ArrayList<>();
        boolean constant = !node.outputs().stream().anyMatch(written::contains);
        boolean complete = true;
        for (Value input : node.inputs()) {
            Object value = value(input);
            constant &= value instanceof Known;
            complete &= value != null;
            items.add(value instanceof Known k ? k.value() : value);
        }
        Object made = node.is("prim::ListConstruct")
            ? new ScriptList(node.output().type() instanceof Type.ListType list ? list.element() : Type.Basic.ANY, items)
            : new ScriptTuple(items, node.output().type() instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null);
        if (constant && !node.outputs().stream().anyMatch(varying::contains)) {
            known.put(node.output(), new Known(made));
            folded.add(node);
            return;
        }
        noteInputs(node);
        if (complete && !written.contains(node.output())) {
            define(node.output(), made);
        }
    }

    private void unpack(Node node) {
        Object value = value(node.input(0));
        Object container = value instanceof Known constant ? constant.value() : value;
        List<?> items = container instanceof ScriptList list ? list.items() : container instanceof ScriptTuple tuple ? tuple.items() : List.of();
        if (items.size() != node.outputs().size()) {
            noteInputs(node);
            return;
        }
        if (value instanceof Known) {
            folded.add(node);
        } else {
            noteInputs(node);
        }
        for (int i = 0; i < items.size(); i++) {
            if (value instanceof Known) {
                known.put(node.output(i), new Known(items.get(i)));
            } else {
                define(node.output(i), items.get(i));
            }
        }
    }

    private void call(Node node) {
        Object[] arguments = new Object[node.inputs().size()];
        // Whether gradients are recorded is asked for speed only: it is as it is now.
        boolean constant = !Effects.isRandom(node) || OperatorTrait.READS_STATE.of(node);
        for (int i = 0; i < arguments.length; i++) {
            Object value = value(node.input(i));
            if (value == null) {
                noteInputs(node);
                requireNoneKnownIsWritten(node);
                return;
            }
            constant &= value instanceof Known;
            arguments[i] = value instanceof Known k ? k.value() : value;
        }
        Optional<Operator> operator = operator(node.schema());
        if (!operator.isPresent()) {
            noteInputs(node);
            requireNoneKnownIsWritten(node);
            return;
        }
        boolean mutates = node.schema().isMutating();
        boolean foldable = (constant || readsGeometry(node) && !mutates) && node.outputs().stream().noneMatch(varying::contains)
            && (!Effects.hasSideEffects(node) || mutates);
        if (mutates && !mayWrite(node, arguments, foldable)) {
            foldable = false;
        }
        if (!foldable) {
            noteInputs(node);
            if (!constant) {
                requireNoneKnownIsWritten(node);
            }
        }
        Tensor stand = foldable ? null : SampleShapes.zeros(node, arguments);
        Object[] results = results(node, stand != null ? stand : operator.get().kernel().call(arguments));
        if (foldable && small(results)) {
            for (int i = 0; i < node.outputs().size(); i++) {
                known.put(node.output(i), new Known(results[i]));
                if (results[i] instanceof Tensor tensor && !aliasesForeign(tensor, arguments)) {
                    owned.add(tensor.storage());
                }
            }
            folded.add(node);
            return;
        }
        if (foldable) {
            noteInputs(node);
        }
        boolean open = OperatorTrait.DATA_DEPENDENT.of(node) || node.is("aten::_pack_padded_sequence") || node.is("aten::index") && indexesByMask(arguments[1]);
        for (int i = 0; i < node.outputs().size() && !open; i++) {
            define(node.output(i), results[i]);
        }
    }

    private static boolean indexesByMask(Object indices) {
        return indices instanceof ScriptList list && list.items().stream().anyMatch(item -> item instanceof Tensor tensor
            && (tensor.dtype() == org.torchnnapi.tensor.DType.BOOL || tensor.dtype() == org.torchnnapi.tensor.DType.UINT8));
    }

    private static Object[] results(Node node, Object result) {
        return node.outputs().size() == 1 ? new Object[] {result} : result instanceof Object[] several ? several : new Object[node.outputs().size()];
    }

    private static boolean small(Object[] results) {
        for (Object result : results) {
            if (result instanceof Tensor tensor && tensor.numel() > MAX_CONSTANT) {
                return false;
            }
        }
        return true;
    }

    private boolean aliasesForeign(Tensor result, Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof Tensor tensor && tensor.storage() == result.storage() && !owned.contains(tensor.storage())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a write to known tensors can be done now: all of them were made here. Samples may be written to. */
    private boolean mayWrite(Node node, Object[] arguments, boolean constant) {
        for (int i = 0; i < arguments.length; i++) {
            if (node.schema().arguments().get(i).mutated() && value(node.input(i)) instanceof Known) {
                boolean ours = arguments[i] instanceof Tensor tensor && owned.contains(tensor.storage()) || arguments[i] instanceof ScriptList;
                if (!ours || !constant) {
                    leaveOpen(node.input(i));
                }
            }
        }
        return constant;
    }

    private void requireNoneKnownIsWritten(Node node) {
        for (int i = 0; i < node.inputs().size() && i < node.schema().arguments().size(); i++) {
            if (node.schema().arguments().get(i).mutated() && value(node.input(i)) instanceof Known) {
                leaveOpen(node.input(i));
            }
        }
    }

    private void leaveOpen(Value value) {
        varying.addAll(new Aliases(graph).of(value));
        throw new Varies();
    }

    private void define(Value value, Object sample) {
        List<TensorFacts> found = new ArrayList<>();
        if (sample instanceof Tensor tensor) {
            found.add(TensorFacts.of(tensor));
        } else if (sample instanceof ScriptList || sample instanceof ScriptTuple) {
            List<Object> items = sample instanceof ScriptList list ? list.items() : ((ScriptTuple) sample).items();
            for (Object item : items) {
                if (item instanceof Tensor tensor) {
                    found.add(TensorFacts.of(tensor));
                }
            }
        } else {
            // A number or text that was read from elements.
            return;
        }
        samples.put(value, sample);
        facts.put(value, found);
    }

    /** Remembers the known ones among the inputs of a node that stays. */
    private void noteInputs(Node node) {
        for (int i = 0; i < node.inputs().size(); i++) {
            note(node, i);
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                noteInputs(inner);
            }
            for (int i = 0; i < block.results().size(); i++) {
                note(block.returns(), i);
            }
        }
    }

    private void note(Node node, int index) {
        Value input = node.input(index);
        Known constant = known.get(input);
        if (constant == null || input.definition() != null && input.definition().is("prim::Constant")) {
            return;
        }
        if (written.contains(input) && constant.value() instanceof Tensor tensor) {
            constant = new Known(tensor.copy(MemoryFormat.CONTIGUOUS));
        }
        literals.computeIfAbsent(node, n -> new HashMap<>()).put(index, constant);
    }

    /** Drops samples that nothing reads any more. */
    private void release(Node node) {
        for (Value input : new HashSet<>(node.inputs())) {
            if (samples.containsKey(input) && !lists.holds(input) && input.uses().stream().allMatch(use -> done.contains(use.user()))) {
                samples.remove(input);
            }
        }
    }

    private void rewrite() {
        Map<Known, Value> made = new IdentityHashMap<>();
        for (Map.Entry<Node, Map<Integer, Known>> entry : literals.entrySet()) {
            Node node = entry.getKey();
            entry.getValue().forEach((index, constant) -> {
                Value old = node.input(index);
                Node literal = graph.constant(constant.value(), old.type()).range(old.definition() == null ? node.range() : old.definition().range());
                Value value = made.computeIfAbsent(constant, key -> {
                    graph.block().insert(0, literal);
                    return literal.output().name(old.name());
                });
                node.setInput(index, value);
            });
        }
        lists.rewrite(value -> {
            Known constant = known.get(value);
            return constant == null || value.definition() != null && value.definition().is("prim::Constant") ? value : made.computeIfAbsent(constant, key -> {
                Node literal = graph.constant(constant.value(), value.type());
                graph.block().insert(0, literal);
                return literal.output().name(value.name());
            });
        });
        for (int i = folded.size() - 1; i >= 0; i--) {
            Node node = folded.get(i);
            if (node.outputs().stream().noneMatch(Value::isUsed)) {
                node.destroy();
            }
        }
        DeadCode.run(graph);
    }

    private static Optional<Operator> operator(FunctionSchema schema) {
        return RUNTIME.operators().apply(schema.name()).stream()
            .filter(o -> o.schema().overload().equals(schema.overload()) && o.schema().arguments().size() == schema.arguments().size())
            .findFirst();
    }

    /** Whether the result follows from types and shapes, as that of a test for None does where tensors are none. */
    private static boolean readsGeometry(Node node) {
        return OperatorTrait.READS_GEOMETRY.of(node) || node.is("aten::_shape_as_tensor") || node.is("aten::__is__") || node.is("aten::__isnot__");
    }
}
