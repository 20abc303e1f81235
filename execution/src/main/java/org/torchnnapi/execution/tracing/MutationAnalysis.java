package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.PointsTo;
import org.torchnnapi.torchscript.value.Callee;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * What functions may write to that they did not make: tensors, lists and dicts, and attributes. Conservative. Where
 * memory may come from is followed through calls, views, containers, branches and loops; of branches that hang on truth
 * values known beforehand, constants and attributes of known modules, one is looked at.
 */
final class MutationAnalysis {
    /** Of the sets of where memory may come from: beyond the call. Behind it are the function's arguments. */
    private static final int OUTSIDE = 0;

    /**
     * A truth value of a module's attribute that findings hang on.
     *
     * @param value what it was
     */
    record Assumption(ScriptObject object, String attribute, Object value) {
        boolean holds() {
            return value.equals(object.get(attribute));
        }
    }

    /** A function, and those of its arguments that are known: modules and truth values, null for others. */
    private record Call(Function function, List<Object> known) {}

    /**
     * What a call does.
     *
     * @param changes whether it may write to tensors, lists or dicts that are neither its own nor of its arguments
     * @param sets whether it may set attributes
     * @param written the arguments that it may write to, or to what they hold
     * @param stored where what it puts into containers that are there already may come from
     * @param result where what it returns may come from
     */
    private record Summary(boolean changes, boolean sets, BitSet written, BitSet stored, BitSet result) {}

    /** Where a value's own memory may come from, and that of what it holds. */
    private record Sources(BitSet own, BitSet inside) {
        Sources() {
            this(new BitSet(), new BitSet());
        }

        static Sources from(int source) {
            Sources sources = new Sources();
            sources.own.set(source);
            sources.inside.set(source);
            return sources;
        }

        BitSet all() {
            BitSet all = (BitSet) own.clone();
            all.or(inside);
            return all;
        }
    }

    private final java.util.function.Function<String, CustomClass> customClasses;
    /**
     * Whether objects that are no modules may be attributes of one; otherwise a call makes them, and setting their
     * attributes lasts no longer.
     */
    private final boolean objectsLast;
    /** Null while it is being found, as a function that calls itself asks. */
    private final Map<Call, Summary> summaries = new HashMap<>();

    private final Set<Assumption> assumptions = new HashSet<>();

    MutationAnalysis(java.util.function.Function<String, CustomClass> customClasses, boolean objectsLast) {
        this.customClasses = customClasses;
        this.objectsLast = objectsLast;
    }

    /** Whether a function may write to tensors, lists and dicts that it did not make, its arguments' among them. */
    static boolean mayChangeTensors(Function function, java.util.function.Function<String, CustomClass> customClasses) {
        return new MutationAnalysis(customClasses, true)
                .changes(function, unknown(function.schema().arguments().size()));
    }

    private static List<Object> unknown(int count) {
        return new ArrayList<>(Collections.nCopies(count, null));
    }

    /** Whether a method of a module may write to what it did not make, or set attributes. */
    boolean last(Function method, ScriptObject module) {
        List<Object> known = unknown(method.schema().arguments().size());
        known.set(0, module);
        return changes(method, known) || summary(new Call(method, known)).sets;
    }

    /** What the findings so far hang on. */
    List<Assumption> assumptions() {
        return new ArrayList<>(assumptions);
    }

    private boolean changes(Function function, List<Object> known) {
        Summary summary = summary(new Call(function, known));
        return summary.changes || !summary.written.isEmpty();
    }

    private Summary summary(Call call) {
        if (!call.function.hasBody()) {
            return anything();
        }
        Call key = new Call(call.function.representative(), call.known);
        if (summaries.containsKey(key)) {
            Summary found = summaries.get(key);
            return found == null ? anything() : found;
        }
        summaries.put(key, null);
        Summary summary = new Body(key).summary();
        summaries.put(key, summary);
        return summary;
    }

    private static Summary anything() {
        BitSet outside = new BitSet();
        outside.set(OUTSIDE);
        return new Summary(true, true, new BitSet(), outside, outside);
    }

    /** One function's graph. */
    private final class Body {
        private final Map<Value, Sources> sources = new IdentityHashMap<>();
        /** Modules and truth values. */
        private final Map<Value, Object> known = new IdentityHashMap<>();

        private final Block block;
        private final BitSet written = new BitSet();
        private final BitSet stored = new BitSet();
        private boolean changes;
        private boolean sets;
        /** Whether a walk found more than the one before. */
        private boolean grew;

        Body(Call call) {
            block = call.function.graph().block();
            List<Value> parameters = call.function.graph().inputs();
            for (int i = 0; i < parameters.size(); i++) {
                if (i < call.known.size() && call.known.get(i) != null) {
                    known.put(parameters.get(i), call.known.get(i));
                }
                sources.put(
                        parameters.get(i),
                        PointsTo.holdsMemory(parameters.get(i).type()) ? Sources.from(i + 1) : new Sources());
            }
        }

        Summary summary() {
            // Loops and containers pass on what is found behind them.
            do {
                grew = false;
                visit(block);
            } while (grew);
            BitSet result = new BitSet();
            for (Value value : block.results()) {
                result.or(of(value).all());
            }
            return new Summary(changes, sets, written, stored, result);
        }

        private Sources of(Value value) {
            return sources.computeIfAbsent(value, v -> new Sources());
        }

        private void add(BitSet to, BitSet from) {
            int before = to.cardinality();
            to.or(from);
            grew |= to.cardinality() != before;
        }

        private void join(Value to, Value from) {
            add(of(to).own, of(from).own);
            add(of(to).inside, of(from).inside);
        }

        private void visit(Block inner) {
            for (Node node : inner.nodes()) {
                switch (node.kind()) {
                    case Prim.IF -> branch(node);
                    case Prim.LOOP -> loop(node);
                    case Prim.CONSTANT -> constant(node);
                    case Prim.GET_ATTR -> attribute(node);
                    case Prim.SET_ATTR ->
                        sets |= objectsLast
                                || !(node.input(0).type() instanceof ClassType type)
                                || type.kind() != ClassType.Kind.OBJECT;
                    case Prim.CALL_METHOD, Prim.CALL_FUNCTION -> call(node);
                    default -> operator(node);
                }
            }
        }

        private void branch(Node node) {
            Object taken = truth(node.input(0));
            for (int i = 0; i < 2; i++) {
                if (taken == null || taken.equals(i == 0)) {
                    Block inner = node.blocks().get(i);
                    visit(inner);
                    // A branch that ends in an exception may give nothing.
                    for (int k = 0; k < inner.results().size(); k++) {
                        join(node.outputs().get(k), inner.results().get(k));
                    }
                }
            }
        }

        private void loop(Node node) {
            Block body = node.blocks().get(0);
            for (int k = 0; k < node.outputs().size(); k++) {
                Value carried = body.parameters().get(k + 1);
                join(carried, node.input(k + 2));
                join(node.outputs().get(k), node.input(k + 2));
            }
            visit(body);
            for (int k = 0; k + 1 < body.results().size(); k++) {
                join(body.parameters().get(k + 1), body.results().get(k + 1));
                join(node.outputs().get(k), body.results().get(k + 1));
            }
        }

        private void constant(Node node) {
            if (node.attribute("value") instanceof Boolean value) {
                known.put(node.output(), value);
            } else if (PointsTo.holdsMemory(node.output().type())) {
                of(node.output()).own.set(OUTSIDE);
                of(node.output()).inside.set(OUTSIDE);
            }
        }

        /** What objects hold outlives the call, as far as is told here. */
        private void attribute(Node node) {
            if (known.get(node.input(0)) instanceof ScriptObject object
                    && object.get((String) node.attribute("name")) instanceof ScriptObject child
                    && child.type().kind() == ClassType.Kind.MODULE) {
                known.put(node.output(), child);
            }
            if (PointsTo.holdsMemory(node.output().type())) {
                of(node.output()).own.set(OUTSIDE);
                of(node.output()).inside.set(OUTSIDE);
            }
        }

        /** A truth value if it is known, or null. */
        private Object truth(Value value) {
            if (known.get(value) instanceof Boolean constant) {
                return constant;
            }
            Node maker = value.definition();
            if (maker == null) {
                return null;
            }
            if (maker.is(Prim.GET_ATTR) && known.get(maker.input(0)) instanceof ScriptObject object) {
                String name = (String) maker.attribute("name");
                if (object.get(name) instanceof Boolean attribute) {
                    assumptions.add(new Assumption(object, name, attribute));
                    return attribute;
                }
            }
            if (maker.is("aten::__not__") && truth(maker.input(0)) instanceof Boolean opposite) {
                return !opposite;
            }
            if (maker.is(Prim.IF) && truth(maker.input(0)) instanceof Boolean taken) {
                List<Value> results = maker.blocks().get(taken ? 0 : 1).results();
                return value.index() < results.size() ? truth(results.get(value.index())) : null;
            }
            return null;
        }

        private void call(Node node) {
            Callee callee = callee(node);
            if (callee instanceof Callee.Body body) {
                List<Object> arguments = new ArrayList<>();
                for (Value input : node.inputs()) {
                    arguments.add(known.get(input) instanceof ScriptObject module ? module : truth(input));
                }
                apply(node, MutationAnalysis.this.summary(new Call(body.function(), arguments)));
                return;
            }
            if (callee instanceof Callee.Custom custom) {
                for (int i = 1; i < node.inputs().size(); i++) {
                    if (custom.type().mayWriteTo(custom.method(), i - 1)) {
                        write(of(node.input(i)).own);
                    }
                }
            } else {
                changes = true;
                sets = true;
            }
            for (Value output : node.outputs()) {
                of(output).own.set(OUTSIDE);
                of(output).inside.set(OUTSIDE);
            }
        }

        /** A known module says what is behind an interface. */
        private Callee callee(Node node) {
            if (node.is(Prim.CALL_METHOD) && known.get(node.input(0)) instanceof ScriptObject module) {
                Function method = module.type().method((String) node.attribute("name"));
                return method == null ? new Callee.Unknown() : new Callee.Body(method);
            }
            return Callee.of(node, customClasses);
        }

        private void apply(Node node, Summary callee) {
            changes |= callee.changes;
            sets |= callee.sets;
            write(translated(callee.written, node));
            add(stored, translated(callee.stored, node));
            BitSet result = translated(callee.result, node);
            for (Value output : node.outputs()) {
                if (PointsTo.holdsMemory(output.type())) {
                    add(of(output).own, result);
                    add(of(output).inside, result);
                }
            }
        }

        /** Of a called function's arguments, and of what they hold, where here they may come from. */
        private BitSet translated(BitSet inCallee, Node node) {
            BitSet here = new BitSet();
            for (int i = inCallee.nextSetBit(0); i >= 0; i = inCallee.nextSetBit(i + 1)) {
                if (i == OUTSIDE) {
                    here.set(OUTSIDE);
                } else if (i <= node.inputs().size()) {
                    here.or(reached(node.input(i - 1)));
                }
            }
            return here;
        }

        /** A value and all that may be read from it, put there later than it was made, too. */
        private BitSet reached(Value value) {
            BitSet reached = of(value).all();
            if (!isTensor(value)) {
                reached.or(stored);
            }
            return reached;
        }

        private void write(BitSet to) {
            changes |= to.get(OUTSIDE);
            for (int i = to.nextSetBit(OUTSIDE + 1); i >= 0; i = to.nextSetBit(i + 1)) {
                written.set(i);
            }
        }

        private void operator(Node node) {
            FunctionSchema schema = node.schema();
            if (schema == null && !node.kind().startsWith("prim::")) {
                changes = true;
            }
            node.blocks().forEach(this::visit);
            for (int i = 0;
                    schema != null
                            && i
                                    < Math.min(
                                            schema.arguments().size(),
                                            node.inputs().size());
                    i++) {
                if (schema.arguments().get(i).mutated()) {
                    mutate(node, i);
                }
            }
            boolean gathers =
                    node.is(Prim.LIST_CONSTRUCT) || node.is(Prim.TUPLE_CONSTRUCT) || node.is(Prim.DICT_CONSTRUCT);
            for (Value output : node.outputs()) {
                if (!PointsTo.holdsMemory(output.type())) {
                    continue;
                }
                if (!node.blocks().isEmpty()) {
                    of(output).own.set(OUTSIDE);
                    of(output).inside.set(OUTSIDE);
                }
                for (int i = 0; i < node.inputs().size(); i++) {
                    Value input = node.input(i);
                    if (!PointsTo.holdsMemory(input.type())) {
                        continue;
                    }
                    if (gathers) {
                        add(of(output).inside, of(input).all());
                    } else if (PointsTo.mayShare(node, i, output)) {
                        add(
                                of(output).own,
                                isTensor(input) || !isTensor(output) ? of(input).all() : of(input).inside);
                        add(of(output).inside, of(input).all());
                        if (!isTensor(input)) {
                            add(of(output).own, stored);
                            add(of(output).inside, stored);
                        }
                    }
                }
            }
        }

        /** Operators on any list or dict write to it, others also to the tensors that it holds. */
        private void mutate(Node node, int index) {
            Value target = node.input(index);
            boolean container = !isTensor(target);
            boolean ofAnything = TypeRelations.hasVariables(
                    node.schema().arguments().get(index).type());
            write(container && !ofAnything ? reached(target) : of(target).own);
            for (int i = 0; container && i < node.inputs().size(); i++) {
                if (i != index && PointsTo.holdsMemory(node.input(i).type())) {
                    add(stored, of(node.input(i)).all());
                }
            }
        }

        private static boolean isTensor(Value value) {
            return TypeRelations.unwrapOptional(value.type()) == Type.Basic.TENSOR;
        }
    }
}
