package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.passes.Origins.Origin;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Inlining;
import org.torchnnapi.torchscript.passes.PointsTo;

/**
 * Makes a new version of a base of each write to it, and every view that is read of it behind the write anew. Loops
 * carry what they write, branches return it; what others see is written back at the end.
 */
final class BaseVersions {
    private static final FunctionSchema COPY =
            OperatorRegistry.standard().find("aten::copy_").schema();
    private static final FunctionSchema CLONE =
            OperatorRegistry.standard().find("aten::clone").schema();

    private final Graph graph;
    private final Origins origins;
    private final WrittenBases bases;
    private final boolean typed;
    /** What each value showed before the graph was changed. */
    private final Map<Value, Origin> before = new IdentityHashMap<>();

    private final Map<Node, List<Value>> arguments = new IdentityHashMap<>();
    private final List<Node> written = new ArrayList<>();
    private final List<Node> set = new ArrayList<>();

    /** What is known where a block is, and in those around it. */
    private static final class Scope {
        private final Scope outer;
        private final Map<Value, Value> versions = new LinkedHashMap<>();
        /** Views, and containers, that were made already, by what they are made of. */
        private final Map<List<Object>, Value> made = new HashMap<>();

        Scope(Scope outer) {
            this.outer = outer;
        }

        Value version(Value base) {
            Value own = versions.get(base);
            return own != null || outer == null ? own : outer.version(base);
        }

        Value made(List<Object> key) {
            Value own = made.get(key);
            return own != null || outer == null ? own : outer.made(key);
        }
    }

    /** @param typed whether what is written is to have its place's type, where operators may give another */
    BaseVersions(Graph graph, Origins origins, WrittenBases bases, boolean typed) {
        this.graph = graph;
        this.origins = origins;
        this.bases = bases;
        this.typed = typed;
    }

    void run() {
        graph.inputs().forEach(this::note);
        collect(graph.block());
        Scope scope = new Scope(null);
        graph.inputs().forEach(input -> begin(input, scope));
        walk(graph.block(), scope);
        finish(scope);
        for (int i = written.size() - 1; i >= 0; i--) {
            written.get(i).destroy();
        }
    }

    private void collect(Block block) {
        block.parameters().forEach(this::note);
        for (Node node : block.nodes()) {
            arguments.put(node, List.copyOf(node.inputs()));
            node.outputs().forEach(this::note);
            node.blocks().forEach(this::collect);
        }
        arguments.put(block.returns(), List.copyOf(block.results()));
    }

    private void note(Value value) {
        Origin origin = origins.of(value);
        if (origin != null && bases.isPure(origin.base())) {
            before.put(value, origin);
        }
    }

    private void begin(Value value, Scope scope) {
        Origin origin = before.get(value);
        if (origin != null && origin.base() == value) {
            scope.versions.put(value, value);
        }
    }

    private void walk(Block block, Scope scope) {
        for (Node node : List.copyOf(block.nodes())) {
            if (node.is("prim::SetAttr") && before.containsKey(node.input(1)) && block == graph.block()) {
                block.remove(node);
                set.add(node);
                continue;
            }
            read(node, node, scope);
            if (node.is("prim::If")) {
                branch(node, scope);
            } else if (node.is("prim::Loop")) {
                loop(node, scope);
            } else if (isWrite(node)) {
                write(node, scope);
            } else if (node.outputs().size() == 1 && before.containsKey(node.output())) {
                Origin origin = before.get(node.output());
                if (!origin.views().isEmpty()
                        && origin.views().get(origin.views().size() - 1) == node) {
                    scope.made.put(List.of(node.input(0), node), node.output());
                }
            }
            node.outputs().forEach(output -> begin(output, scope));
        }
    }

    private boolean isWrite(Node node) {
        return Effects.writes(node, 0) && before.containsKey(arguments.get(node).get(0));
    }

    /** Lets a node read what its arguments are by now. */
    private void read(Node node, Node place, Scope scope) {
        List<Value> given = arguments.get(node);
        for (int i = 0; i < given.size(); i++) {
            Value now = current(given.get(i), place, scope);
            if (now != node.input(i)) {
                node.setInput(i, now);
            }
        }
    }

    private Value current(Value value, Node place, Scope scope) {
        Origin origin = before.get(value);
        if (origin != null) {
            return shown(scope.version(origin.base()), origin, origin.views().size(), place, scope);
        }
        Node maker = value.definition();
        return maker != null && Origins.isConstruct(maker) && arguments.containsKey(maker)
                ? container(value, arguments.get(maker), place, scope, item -> current(item, place, scope))
                : value;
    }

    /** A container of what its items are by now. */
    private Value container(
            Value value, List<Value> given, Node place, Scope scope, java.util.function.UnaryOperator<Value> item) {
        Node maker = value.definition();
        if (Origins.items(value) == null) {
            return value;
        }
        List<Value> items = new ArrayList<>();
        List<Object> key = new ArrayList<>();
        key.add(maker);
        for (Value each : given) {
            items.add(item.apply(each));
            key.add(items.get(items.size() - 1));
        }
        if (items.equals(maker.inputs())) {
            return value;
        }
        Value known = scope.made(key);
        if (known != null) {
            return known;
        }
        Node made = graph.create(maker.kind()).range(maker.range());
        made.attributes().putAll(maker.attributes());
        items.forEach(made::addInput);
        place.owner().insertBefore(place, made);
        Value out = made.addOutput(value.type()).name(value.name());
        scope.made.put(key, out);
        return out;
    }

    /** What the first views of an origin show of a version of its base. */
    private Value shown(Value version, Origin origin, int count, Node place, Scope scope) {
        Value at = version;
        for (Node view : origin.views().subList(0, count)) {
            List<Object> key = List.of(at, view);
            Value known = scope.made(key);
            if (known == null) {
                List<Value> inputs = new ArrayList<>(view.inputs());
                inputs.set(0, at);
                known = InPlaceTwin.call(place, view.schema(), inputs);
                known.definition().range(view.range()).attributes().putAll(view.attributes());
                known.name(view.output().name());
                scope.made.put(key, known);
            }
            at = known;
        }
        return at;
    }

    private void write(Node node, Scope scope) {
        Origin origin = before.get(arguments.get(node).get(0));
        Value part = InPlaceTwin.of(node).before(node, node.inputs(), typed);
        if (part.name() == null) {
            part.name(node.outputs().isEmpty() ? null : node.output().name());
        }
        Value old = scope.version(origin.base());
        for (int i = origin.views().size() - 1; i >= 0; i--) {
            Node view = origin.views().get(i);
            Value whole = replaced(node, view, shown(old, origin, i, node, scope), part);
            scope.made.put(List.of(whole, view), part);
            part = whole;
        }
        scope.versions.put(origin.base(), part);
        written.add(node);
    }

    /** What a view is of, once the view is another tensor. */
    private static Value replaced(Node place, Node view, Value whole, Value part) {
        Node call = place.graph().create("prim::Inverse").addInput(whole).addInput(part);
        view.inputs().subList(1, view.inputs().size()).forEach(call::addInput);
        call.range(place.range());
        place.owner().insertBefore(place, call);
        Value result = Inlining.before(
                        call,
                        OperatorForms.inverse(view.schema()),
                        block -> block.nodes().forEach(made -> made.range(place.range())))
                .get(0);
        call.destroy();
        return result;
    }

    private void branch(Node node, Scope scope) {
        List<Scope> inner = new ArrayList<>();
        Set<Value> changed = new LinkedHashSet<>();
        for (Block block : node.blocks()) {
            Scope own = new Scope(scope);
            walk(block, own);
            read(block.returns(), block.returns(), own);
            inner.add(own);
            for (Node write : written) {
                Value base = before.get(arguments.get(write).get(0)).base();
                if (own.versions.containsKey(base) && scope.version(base) != null) {
                    changed.add(base);
                }
            }
        }
        for (Value base : changed) {
            for (int i = 0; i < inner.size(); i++) {
                node.blocks().get(i).addResult(inner.get(i).version(base));
            }
            scope.versions.put(base, node.addOutput(Type.Basic.TENSOR).name(base.name()));
        }
    }

    private void loop(Node node, Scope scope) {
        Block body = node.blocks().get(0);
        Set<Value> changed = new LinkedHashSet<>();
        changed(body, scope, changed);
        Scope inner = new Scope(scope);
        body.parameters().forEach(parameter -> begin(parameter, inner));
        for (Value base : changed) {
            node.addInput(scope.version(base));
            inner.versions.put(base, body.addParameter(Type.Basic.TENSOR, base.name()));
        }
        walk(body, inner);
        read(body.returns(), body.returns(), inner);
        for (Value base : changed) {
            body.addResult(inner.version(base));
            scope.versions.put(base, node.addOutput(Type.Basic.TENSOR).name(base.name()));
        }
    }

    /** Bases from outside that a block writes to. */
    private void changed(Block block, Scope scope, Set<Value> changed) {
        for (Node node : block.nodes()) {
            if (isWrite(node)) {
                Value base = before.get(arguments.get(node).get(0)).base();
                if (scope.version(base) != null) {
                    changed.add(base);
                }
            }
            node.blocks().forEach(inner -> changed(inner, scope, changed));
        }
    }

    /** What others see is written back, attributes are set, and the results are returned. */
    private void finish(Scope scope) {
        Node end = graph.block().returns();
        Map<Value, Value> back = new LinkedHashMap<>();
        scope.versions.forEach((base, version) -> {
            if (bases.isLasting(base) && version != base) {
                back.put(base, isOwn(version) ? version : InPlaceTwin.call(end, CLONE, List.of(version, none(end))));
            }
        });
        back.forEach((base, version) -> {
            Node copy = graph.create(COPY.name()).schema(COPY).attribute(Functionalize.WRITTEN_BACK, true);
            copy.addInput(base).addInput(version).addInput(constant(end, false, Type.Basic.BOOL));
            copy.range(version.definition().range());
            graph.block().insertBefore(end, copy);
            copy.addOutput(Type.Basic.TENSOR);
        });
        for (Node node : set) {
            graph.block().insertBefore(end, node);
            node.setInput(1, reference(arguments.get(node).get(1), node, scope));
        }
        List<Value> results = arguments.get(end);
        for (int i = 0; i < results.size(); i++) {
            end.setInput(i, reference(results.get(i), end, scope));
        }
    }

    private Value none(Node place) {
        return constant(place, null, Type.Basic.NONE);
    }

    private Value constant(Node place, Object value, Type type) {
        return place.owner().insertBefore(place, graph.constant(value, type)).output();
    }

    /** Whether a value shares memory with nothing that could be written to before it is read. */
    private static boolean isOwn(Value value) {
        Node maker = value.definition();
        return maker != null && maker.schema() != null && !PointsTo.mayShare(maker, value);
    }

    /** What is kept beyond the run: memory that others see is that memory itself. */
    private Value reference(Value value, Node place, Scope scope) {
        Origin origin = before.get(value);
        if (origin != null) {
            Value version = bases.isLasting(origin.base()) ? origin.base() : scope.version(origin.base());
            return shown(version, origin, origin.views().size(), place, scope);
        }
        Node maker = value.definition();
        return maker != null && Origins.isConstruct(maker) && arguments.containsKey(maker)
                ? container(value, arguments.get(maker), place, scope, item -> reference(item, place, scope))
                : value;
    }
}
