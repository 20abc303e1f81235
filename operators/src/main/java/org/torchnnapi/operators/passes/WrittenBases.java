package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.passes.Origins.MayShare;
import org.torchnnapi.operators.passes.Origins.Origin;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.PointsTo;

/**
 * Which bases of a graph are written to so that each write can become a new value: it is known of all writes what they
 * write, and how to get from there to the base, and nobody reads what was written under the name of another base, nor
 * the other way round. Others stay as they are as a whole.
 */
final class WrittenBases {
    /** Of more bases that may share with each other nothing is told. */
    private static final int MOST_SHARING = 64;

    private final Graph graph;
    private final PointsTo pointsTo;
    private final NodeOrder order;
    private final Origins origins;
    private final boolean back;
    private final Predicate<FunctionSchema> wanted;
    private final Map<Value, List<Node>> writes = new IdentityHashMap<>();
    private final Map<Value, List<Node>> uses = new IdentityHashMap<>();
    private final Set<Value> lasting = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> kept = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> bases = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Value> unknown = new ArrayList<>();

    /**
     * @param back whether what others see is written back; it stays written to as it is otherwise
     * @param wanted the functional operators that may take the places of those that write
     */
    WrittenBases(
            Graph graph,
            PointsTo pointsTo,
            NodeOrder order,
            Origins origins,
            boolean back,
            Predicate<FunctionSchema> wanted) {
        this.back = back;
        this.wanted = wanted;
        this.graph = graph;
        this.pointsTo = pointsTo;
        this.order = order;
        this.origins = origins;
        graph.inputs().forEach(this::note);
        collect(graph.block());
        List<MayShare> shares = new ArrayList<>(origins.shares());
        shares.addAll(fromOutside());
        for (List<MayShare> group : groups(shares)) {
            check(group);
        }
    }

    /** Whether each write to a base becomes a new value. */
    boolean isPure(Value base) {
        return bases.contains(base)
                && !kept.contains(base)
                && writes.getOrDefault(base, List.of()).stream().anyMatch(node -> !Functionalize.isWrittenBack(node));
    }

    boolean any() {
        return writes.keySet().stream().anyMatch(base -> base != null && isPure(base));
    }

    /** Whether others than the graph see what is written to a base. */
    boolean isLasting(Value base) {
        return lasting.contains(base);
    }

    /** Who writes to a base. */
    List<Node> writes(Value base) {
        return writes.getOrDefault(base, List.of());
    }

    private void note(Value value) {
        if (!PointsTo.holdsMemory(value.type())) {
            return;
        }
        Origin origin = origins.of(value);
        if (origin == null) {
            if (Origins.isTensor(value)) {
                unknown.add(value);
            }
        } else if (bases.add(origin.base())) {
            Value base = origin.base();
            Node maker = base.definition();
            if (base.parameterOf() == graph.block() || maker != null && maker.is("prim::GetAttr")) {
                lasting.add(base);
            }
            if (lasting.contains(base) && !back) {
                kept.add(base);
            }
            if (base.type() != Type.Basic.TENSOR || maker != null && maker.is("prim::Constant")) {
                kept.add(base);
                lasting.add(base);
            }
        }
    }

    private void collect(Block block) {
        block.parameters().forEach(this::note);
        for (Node node : block.nodes()) {
            for (int i = 0; i < node.inputs().size(); i++) {
                use(node, node.input(i));
                boolean unknownCall = node.schema() == null && !Origins.isUnderstood(node);
                if (unknownCall || Effects.writes(node, i)) {
                    write(node, i, unknownCall);
                }
            }
            node.outputs().forEach(this::note);
            node.blocks().forEach(this::collect);
        }
        block.results().forEach(result -> use(block.returns(), result));
    }

    private void use(Node node, Value input) {
        List<Value> items = PointsTo.holdsMemory(input.type()) ? Origins.items(input) : null;
        for (Value item : items == null ? List.<Value>of() : items) {
            Origin origin = origins.of(item);
            if (origin != null) {
                uses.computeIfAbsent(origin.base(), b -> new ArrayList<>()).add(node);
            }
        }
    }

    private void write(Node node, int index, boolean unknownCall) {
        Value input = node.input(index);
        if (!unknownCall && !Origins.isTensor(input)) {
            // What is written is the container.
            return;
        }
        List<Value> items = PointsTo.holdsMemory(input.type()) ? Origins.items(input) : List.of();
        if (items == null) {
            writes.computeIfAbsent(null, b -> new ArrayList<>()).add(node);
            return;
        }
        for (Value item : items) {
            Origin origin = origins.of(item);
            Value base = origin == null ? null : origin.base();
            writes.computeIfAbsent(base, b -> new ArrayList<>()).add(node);
            if (base != null && (unknownCall || index != 0 || !isKnown(node, origin))) {
                kept.add(base);
            }
        }
    }

    /** Whether it is known what a node writes, and what the base is then. */
    private boolean isKnown(Node node, Origin origin) {
        InPlaceTwin twin = InPlaceTwin.of(node);
        if (twin == null
                || !wanted.test(twin.operator().schema())
                || node.outputs().size() > 1
                || node.input(0).type() != Type.Basic.TENSOR) {
            return false;
        }
        return twin.changesView()
                ? origin.views().isEmpty()
                : origin.views().stream().allMatch(view -> OperatorForms.inverse(view.schema()) != null);
    }

    /** What is there before the graph runs may be one, where nothing tells that it is not. */
    private List<MayShare> fromOutside() {
        List<MayShare> shares = new ArrayList<>();
        List<Value> all = new ArrayList<>(lasting);
        for (Value one : all) {
            for (Value other : all) {
                if (one != other && writes.containsKey(one) && pointsTo.share(one, other)) {
                    shares.add(new MayShare(NodeOrder.START, one, other));
                }
            }
            if (unknown.stream().anyMatch(value -> pointsTo.share(one, value))) {
                shares.add(new MayShare(NodeOrder.START, one, null));
            }
        }
        return shares;
    }

    /** What hangs together, but by values of which nothing is known. */
    private static List<List<MayShare>> groups(List<MayShare> shares) {
        Map<Value, List<MayShare>> groups = new IdentityHashMap<>();
        List<List<MayShare>> all = new ArrayList<>();
        for (MayShare share : shares) {
            List<MayShare> one = share.made() == null ? null : groups.get(share.made());
            List<MayShare> other = share.source() == null ? null : groups.get(share.source());
            List<MayShare> group = one != null ? one : other != null ? other : new ArrayList<>();
            if (one == null && other == null) {
                all.add(group);
            }
            group.add(share);
            if (one != null && other != null && one != other) {
                group.addAll(other);
                all.removeIf(each -> each == other);
            }
            for (MayShare each : one != null && other != null && one != other ? group : List.of(share)) {
                if (each.made() != null) {
                    groups.put(each.made(), group);
                }
                if (each.source() != null) {
                    groups.put(each.source(), group);
                }
            }
        }
        return all;
    }

    /** Looks at all pairs that share, from where on they do, by whatever way that is. */
    private void check(List<MayShare> group) {
        List<Value> members = new ArrayList<>();
        for (MayShare share : group) {
            for (Value value : new Value[] {share.made(), share.source()}) {
                if (members.stream().noneMatch(member -> member == value)) {
                    members.add(value);
                }
            }
        }
        if (members.stream().noneMatch(writes::containsKey)) {
            return;
        }
        if (members.size() > MOST_SHARING) {
            kept.addAll(members);
            return;
        }
        int[][] places = new int[members.size()][members.size()];
        for (int[] row : places) {
            java.util.Arrays.fill(row, NodeOrder.END);
        }
        for (MayShare share : group) {
            int a = index(members, share.made());
            int b = index(members, share.source());
            places[a][b] = Math.min(places[a][b], share.place());
            places[b][a] = places[a][b];
        }
        for (int k = 0; k < members.size(); k++) {
            for (int i = 0; i < members.size(); i++) {
                for (int j = 0; j < members.size(); j++) {
                    places[i][j] = Math.min(places[i][j], Math.max(places[i][k], places[k][j]));
                }
            }
        }
        for (int i = 0; i < members.size(); i++) {
            for (int j = 0; j < members.size(); j++) {
                if (i != j && places[i][j] != NodeOrder.END && isSeen(places[i][j], members.get(i), members.get(j))) {
                    kept.add(members.get(i));
                    kept.add(members.get(j));
                }
            }
        }
    }

    private static int index(List<Value> members, Value value) {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i) == value) {
                return i;
            }
        }
        throw new IllegalStateException("value: " + value + " (expected: a member)");
    }

    /** Whether what is written under one name, from a place on, is read under the other. */
    private boolean isSeen(int place, Value written, Value other) {
        for (Node write : writes.getOrDefault(written, List.of())) {
            if (order.place(write) <= place || Functionalize.isWrittenBack(write)) {
                continue;
            }
            if (other == null || lasting.contains(other) && !lasting.contains(written)) {
                return true;
            }
            for (Node use : uses.getOrDefault(other, List.of())) {
                boolean reference =
                        use.is("prim::SetAttr") || use == graph.block().returns();
                boolean seen = reference ? !lasting.contains(other) : order.mayFollow(write, use, written, other);
                if (seen) {
                    return true;
                }
            }
        }
        return false;
    }
}
