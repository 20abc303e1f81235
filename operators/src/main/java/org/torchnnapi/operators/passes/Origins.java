package org.torchnnapi.operators.passes;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.PointsTo;

/**
 * Which memory each tensor of a graph shows, where that is known for certain: a base, and the views that lead from it
 * to the tensor. What branches return and loops carry is the base that it is on all ways, or a base of its own.
 */
final class Origins {
    /**
     * What a tensor shows.
     *
     * @param base a tensor that shows all of its memory, or all that the graph knows of it
     * @param views nodes, from the base on
     */
    record Origin(Value base, List<Node> views) {
        private boolean same(Origin other) {
            return other != null && other.base == base && other.views.equals(views);
        }
    }

    /**
     * One value may be, or show, memory of another from some place on.
     *
     * @param made a base; null for values of which is not known what they show
     * @param source a base
     */
    record MayShare(int place, Value made, Value source) {}

    /** Not known yet. */
    private static final Origin OPEN = new Origin(null, List.of());

    private final Graph graph;
    private final PointsTo pointsTo;
    private final NodeOrder order;
    /** Of what branches and loops give; none yet while all ways are still to be seen. */
    private final Map<Value, Origin> joined = new IdentityHashMap<>();

    private final Map<Value, List<Value>> ways = new LinkedHashMap<>();
    private final Map<Value, Origin> origins = new IdentityHashMap<>();
    private final Map<Object, Map<String, List<Node>>> reads = new IdentityHashMap<>();
    private final Map<Object, Map<String, List<Node>>> sets = new IdentityHashMap<>();
    private final List<MayShare> shares = new ArrayList<>();

    Origins(Graph graph, PointsTo pointsTo, NodeOrder order) {
        this.graph = graph;
        this.pointsTo = pointsTo;
        this.order = order;
        collect(graph.block());
        boolean changed = true;
        while (changed) {
            changed = false;
            origins.clear();
            for (Map.Entry<Value, List<Value>> way : ways.entrySet()) {
                Origin now = join(way.getKey(), way.getValue());
                Origin before = joined.get(way.getKey());
                if (now != null && !now.same(before)) {
                    // What was several things stays a base of its own.
                    joined.put(way.getKey(), before == null ? now : new Origin(way.getKey(), List.of()));
                    changed |= before == null || before.base != way.getKey();
                }
            }
        }
        // What no way leads to.
        ways.keySet().forEach(value -> joined.putIfAbsent(value, new Origin(value, List.of())));
        origins.clear();
        share(graph.block());
    }

    private void collect(Block block) {
        for (Node node : block.nodes()) {
            if (node.is("prim::GetAttr")) {
                named(reads, node).add(node);
            } else if (node.is("prim::SetAttr")) {
                named(sets, node).add(node);
            }
            node.blocks().forEach(this::collect);
            for (int i = 0; i < node.outputs().size(); i++) {
                if (node.is("prim::If")) {
                    int number = i;
                    List<Value> ends = new ArrayList<>();
                    node.blocks().forEach(branch -> ends.add(branch.results().get(number)));
                    way(node.output(i), ends);
                } else if (node.is("prim::Loop")) {
                    Block body = node.blocks().get(0);
                    List<Value> ends = List.of(node.input(i + 2), body.results().get(i + 1));
                    way(node.output(i), ends);
                    way(body.parameters().get(i + 1), ends);
                }
            }
        }
    }

    private List<Node> named(Map<Object, Map<String, List<Node>>> table, Node node) {
        Object owner = pointsTo.object(node.input(0));
        return table.computeIfAbsent(owner != null ? owner : node.input(0), o -> new LinkedHashMap<>())
                .computeIfAbsent((String) node.attribute("name"), n -> new ArrayList<>());
    }

    private void way(Value value, List<Value> ends) {
        if (isTensor(value)) {
            ways.put(value, ends);
        }
    }

    static boolean isTensor(Value value) {
        return value.type() == Type.Basic.TENSOR
                || value.type() instanceof Type.OptionalType optional && optional.element() == Type.Basic.TENSOR;
    }

    /** Null while none of the ways is known. */
    private Origin join(Value value, List<Value> ends) {
        Origin all = null;
        for (Value end : ends) {
            if (end.definition() != null && end.definition().is("prim::Uninitialized") || of(end) == OPEN) {
                continue;
            }
            Origin origin = of(end);
            if (origin == null || all != null && !all.same(origin)) {
                return new Origin(value, List.of());
            }
            all = origin;
        }
        return all == null || isSeen(value, all) ? all : new Origin(value, List.of());
    }

    /** Whether base and views are there where the value is. */
    private static boolean isSeen(Value value, Origin origin) {
        Block block = value.definition() != null
                ? value.definition().owner()
                : value.parameterOf().parent().owner();
        boolean base = sees(block, home(origin.base));
        return base && origin.views.stream().allMatch(view -> sees(block, view.owner()));
    }

    private static Block home(Value value) {
        return value.definition() != null ? value.definition().owner() : value.parameterOf();
    }

    private static boolean sees(Block from, Block made) {
        for (Block at = from;
                at != null;
                at = at.parent() == null ? null : at.parent().owner()) {
            if (at == made) {
                return true;
            }
        }
        return false;
    }

    /** What a tensor shows; null where it is not known. */
    Origin of(Value value) {
        if (!isTensor(value)) {
            return null;
        }
        if (ways.containsKey(value)) {
            return joined.getOrDefault(value, OPEN);
        }
        if (!origins.containsKey(value)) {
            origins.put(value, find(value));
        }
        return origins.get(value);
    }

    private Origin find(Value value) {
        Node maker = value.definition();
        if (maker == null || !PointsTo.mayShare(maker, value) && !maker.is("prim::GetAttr")) {
            return new Origin(value, List.of());
        }
        if (maker.is("prim::GetAttr")) {
            return attribute(maker);
        }
        if (isSame(maker, value)) {
            return of(maker.input(0));
        }
        if (OperatorTrait.VIEW.of(maker)) {
            Origin from = of(maker.input(0));
            if (from == null || from == OPEN) {
                return from;
            }
            List<Node> views = new ArrayList<>(from.views);
            views.add(maker);
            return new Origin(from.base, Collections.unmodifiableList(views));
        }
        boolean apart = maker.schema() != null;
        for (int i = 0; apart && i < maker.inputs().size(); i++) {
            // Who takes what a container holds may give any of it.
            apart = !PointsTo.holdsMemory(maker.input(i).type())
                    || !PointsTo.mayShare(maker, i, value)
                    || items(maker.input(i)) != null;
        }
        return apart ? new Origin(value, List.of()) : null;
    }

    /** Whether a result is the first argument itself. */
    static boolean isSame(Node maker, Value value) {
        return maker.is("prim::unchecked_cast")
                || maker.is("aten::_unwrap_optional")
                || Effects.writes(maker, 0)
                        && maker.input(0).type() == Type.Basic.TENSOR
                        && maker.outputs().size() == 1
                        && maker.output() == value;
    }

    /** The first node that reads an attribute stands for all that read it before it may be set. */
    private Origin attribute(Node node) {
        if (pointsTo.object(node.input(0)) == null) {
            return null;
        }
        List<Node> all = named(reads, node);
        Node first = all.get(0);
        for (Node set : named(sets, node)) {
            if (order.place(set) < order.place(node) || inOneLoop(set, node)) {
                return null;
            }
        }
        return first.owner() == graph.block() ? new Origin(first.output(), List.of()) : null;
    }

    private static boolean inOneLoop(Node one, Node other) {
        for (Block block = one.owner();
                block.parent() != null;
                block = block.parent().owner()) {
            if (block.parent().is("prim::Loop") && NodeOrder.isWithin(other, block)) {
                return true;
            }
        }
        return false;
    }

    /** The nodes that set what a node sets, or read it, behind a node. */
    boolean isTouchedBehind(Node set) {
        List<Node> all = new ArrayList<>(named(sets, set));
        all.addAll(named(reads, set));
        return all.stream()
                .anyMatch(other -> other != set && (order.place(other) > order.place(set) || inOneLoop(set, other)));
    }

    /** The tensors that a value is or that a container that nobody changes was made of; null for others. */
    static List<Value> items(Value value) {
        if (isTensor(value)) {
            return List.of(value);
        }
        Node maker = value.definition();
        if (maker == null
                || !isConstruct(maker)
                || value.uses().stream().anyMatch(use -> Effects.writes(use.user(), use.index()))) {
            return null;
        }
        List<Value> items = new ArrayList<>();
        for (Value input : maker.inputs()) {
            if (PointsTo.holdsMemory(input.type())) {
                List<Value> inner = items(input);
                if (inner == null) {
                    return null;
                }
                items.addAll(inner);
            }
        }
        return items;
    }

    static boolean isConstruct(Node node) {
        return node.is("prim::ListConstruct") || node.is("prim::TupleConstruct") || node.is("prim::DictConstruct");
    }

    /** What bases may share with each other, and with values of which is not known what they show. */
    List<MayShare> shares() {
        return shares;
    }

    private void share(Block block) {
        for (Node node : block.nodes()) {
            node.blocks().forEach(this::share);
            if (node.is("prim::If")) {
                for (Block branch : node.blocks()) {
                    shareSlots(node.outputs(), branch.results(), order.place(branch.returns()));
                }
            } else if (node.is("prim::Loop")) {
                Block body = node.blocks().get(0);
                List<Value> start = node.inputs().subList(2, node.inputs().size());
                List<Value> end = body.results().subList(1, body.results().size());
                List<Value> inside =
                        body.parameters().subList(1, body.parameters().size());
                shareSlots(inside, start, order.place(node));
                shareSlots(inside, end, order.place(node));
                shareSlots(node.outputs(), start, order.end(node));
                shareSlots(node.outputs(), end, order.end(node));
            } else {
                shareOf(node);
            }
        }
    }

    private void shareSlots(List<Value> made, List<Value> sources, int place) {
        Map<Value, List<Value>> known = new IdentityHashMap<>();
        for (int i = 0; i < made.size(); i++) {
            if (!PointsTo.holdsMemory(made.get(i).type())) {
                continue;
            }
            Origin origin = of(made.get(i));
            if (origin != null && origin.base != made.get(i)) {
                continue;
            }
            Value base = origin == null ? null : origin.base;
            for (Value source : itemsOrNull(sources.get(i))) {
                Origin from = source == null ? null : of(source);
                boolean inTurn = from != null
                        && made.get(i).parameterOf() != null
                        && NodeOrder.isMadeIn(from.base, made.get(i).parameterOf());
                if (from == null) {
                    shares.add(new MayShare(place, base, null));
                } else if (!inTurn) {
                    shares.add(new MayShare(place, base, from.base));
                } else {
                    // Of what one turn makes the next knows only what it shares with what is outside.
                    for (Value outer : sharing(from.base)) {
                        if (!NodeOrder.isMadeIn(outer, made.get(i).parameterOf())) {
                            shares.add(new MayShare(place, base, outer));
                        }
                    }
                }
                if (from != null) {
                    // Two that are made of one share with each other.
                    List<Value> others = known.computeIfAbsent(from.base, b -> new ArrayList<>());
                    others.forEach(other -> shares.add(new MayShare(place, base, other)));
                    others.add(base);
                }
            }
        }
    }

    /** Bases that one may share with by what is known so far; null among them for what is not known. */
    private Set<Value> sharing(Value base) {
        Set<Value> found = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Value> open = new ArrayDeque<>(List.of(base));
        while (!open.isEmpty()) {
            Value at = open.pop();
            for (MayShare each : shares) {
                if (each.made == at || each.source == at) {
                    Value other = each.made == at ? each.source : each.made;
                    if (found.add(other) && other != null) {
                        open.push(other);
                    }
                }
            }
        }
        return found;
    }

    private static List<Value> itemsOrNull(Value value) {
        List<Value> items = items(value);
        return items == null ? Collections.singletonList(null) : items;
    }

    /** A node without blocks may return what it is given, or keep it. */
    private void shareOf(Node node) {
        boolean keeps = isConstruct(node) ? items(node.output()) == null : keeps(node);
        if (isConstruct(node) && !keeps || node.is("prim::GetAttr")) {
            return;
        }
        if (node.is("prim::SetAttr")) {
            keeps = isTouchedBehind(node);
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            if (!PointsTo.holdsMemory(node.input(i).type())) {
                continue;
            }
            for (Value item : itemsOrNull(node.input(i))) {
                Origin from = item == null ? null : of(item);
                if (keeps && from != null) {
                    shares.add(new MayShare(order.place(node), null, from.base));
                }
                for (Value output : node.outputs()) {
                    boolean shares = output.isUsed()
                            && PointsTo.holdsMemory(output.type())
                            && PointsTo.mayShare(node, i, output);
                    Origin made = shares ? of(output) : null;
                    if (shares && (made == null || made.base == output)) {
                        this.shares.add(new MayShare(
                                order.place(node), made == null ? null : made.base, from == null ? null : from.base));
                    }
                }
            }
        }
    }

    /** Whether a node puts what it is given somewhere, or does with it what is not known. */
    private static boolean keeps(Node node) {
        if (node.schema() == null) {
            return !isUnderstood(node);
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            if (Effects.writes(node, i)
                    && (node.input(i).type() != Type.Basic.TENSOR || OperatorTrait.SHARES.of(node))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a node without schema only reads what it is given, or takes containers apart. */
    static boolean isUnderstood(Node node) {
        return switch (node.kind()) {
            case "prim::unchecked_cast",
                    "prim::ListUnpack",
                    "prim::TupleUnpack",
                    "prim::TupleIndex",
                    "prim::isinstance",
                    "prim::RaiseException",
                    "prim::Constant",
                    "prim::Uninitialized",
                    "prim::Return",
                    "prim::If",
                    "prim::Loop",
                    "prim::GetAttr",
                    "prim::SetAttr",
                    "prim::ListConstruct",
                    "prim::TupleConstruct",
                    "prim::DictConstruct" -> true;
            default -> false;
        };
    }
}
