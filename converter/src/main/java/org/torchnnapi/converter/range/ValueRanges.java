package org.torchnnapi.converter.range;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.torchnnapi.converter.lower.GatherLowering;
import org.torchnnapi.converter.partial.ArgumentSources;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.range.NumberRange;
import org.torchnnapi.operators.range.RangeRules;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Between which bounds the numbers of a graph lie, as an abstract interpretation: sizes, constants, places, what
 * comparisons, remainders and clamps leave, and what arithmetic makes of them; loops until nothing changes, or else
 * without bounds. Arguments and attributes of whole numbers are taken for such of 32 bits, or fewer where more would
 * leave 32 bits on the way to real numbers and places, as what enters NNAPI is checked to be.
 */
public final class ValueRanges {
    /** So many turns of a loop are followed; what grows longer has no bounds. */
    private static final int MOST_TURNS = 16;

    private static final int FEW_TURNS = 3;
    /** Of what is counted, and how far a turn may count. */
    private static final NumberRange TURNS = new NumberRange(-(1 << 30), 1 << 30);

    private static final int MOST_STEP = 64;
    /** More elements than a tensor has whose sizes are left open. */
    private static final double OPEN = 1 << 28;
    /** Larger constants of real numbers are weights. */
    private static final int MOST_READ = 4096;
    /** No table has so many rows: a place beyond this, or below its negative, is in none, in 32 bits too. */
    private static final double BEYOND_TABLES = 1L << 30;

    /** As many below 0 as above, so that signs may change. */
    private static final NumberRange ENTERING = new NumberRange(-Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final NumberRange SMALL = new NumberRange(-(1 << 24), 1 << 24);

    private static final double WRAP = Math.scalb(1.0, Integer.SIZE);

    private final Graph graph;
    private final PartialEvaluation.Facts facts;
    private final boolean open;
    /** Arguments, by what they are taken for; null where they may be anything. */
    private final Map<Value, NumberRange> assumed;

    private final Map<Value, NumberRange> ranges = new IdentityHashMap<>();
    /** Arguments, and what is read from them. */
    private final Set<Value> given = Collections.newSetFromMap(new IdentityHashMap<>());
    /** The same whatever comes in; null if this is that. */
    private final ValueRanges proved;

    private final RangeRules.Read read = new Read();

    private ValueRanges(
            Graph graph,
            PartialEvaluation.Facts facts,
            boolean open,
            Map<Value, NumberRange> assumed,
            ValueRanges proved) {
        this.graph = graph;
        this.facts = facts;
        this.open = open;
        this.assumed = assumed;
        this.proved = proved;
    }

    /** @param open whether sizes are left open, so that tensors may be larger than {@code facts} say */
    public static ValueRanges of(Graph graph, PartialEvaluation.Facts facts, boolean open) {
        ValueRanges proved = new ValueRanges(graph, facts, open, null, null);
        proved.run();
        ValueRanges ranges = new ValueRanges(graph, facts, open, Map.of(), proved);
        ranges.run();
        Map<Value, NumberRange> narrowed = ranges.narrowed();
        if (narrowed.isEmpty()) {
            return ranges;
        }
        ValueRanges narrow = new ValueRanges(graph, facts, open, narrowed, proved);
        narrow.run();
        return narrow;
    }

    /** Arguments that have to be smaller for something to fit that leads to real numbers or places. */
    private Map<Value, NumberRange> narrowed() {
        List<Value> beyond = ranges.keySet().stream()
                .filter(value -> dtype(value) == DType.INT64 && !fits(value) && !isReturned(value, new HashSet<>()))
                .collect(Streams.toList());
        Map<Value, NumberRange> all = new IdentityHashMap<>();
        if (beyond.isEmpty()) {
            return all;
        }
        graph.inputs().stream().skip(1).filter(input -> isWithin(input, SMALL)).forEach(input -> all.put(input, SMALL));
        ValueRanges narrow = new ValueRanges(graph, facts, open, all, proved);
        narrow.run();
        ArgumentSources sources = new ArgumentSources(graph);
        beyond.stream().filter(narrow::fits).forEach(sources::add);
        all.keySet().retainAll(sources.arguments());
        return all;
    }

    /** Whether a value, or whole numbers that are computed of it, are a result. */
    private boolean isReturned(Value value, Set<Value> seen) {
        return seen.add(value)
                && value.uses().stream().anyMatch(use -> {
                    Node user = use.user();
                    boolean ends = user.owner() == null || user == user.owner().returns();
                    return ends
                            || user.outputs().stream()
                                    .anyMatch(made -> (dtype(made) == DType.INT64 || dtype(made) == null)
                                            && isReturned(made, seen));
                });
    }

    private void run() {
        graph.inputs().forEach(input -> {
            given.add(input);
            ranges.put(input, source(input));
        });
        walk(graph.block());
    }

    /** Of a tensor's or list's numbers, or of a number. */
    public NumberRange of(Value value) {
        NumberRange known = ranges.get(value);
        return known == null ? all(value) : known;
    }

    /**
     * What a tensor that enters NNAPI has to be checked to lie in; null where it does in any case, or has no numbers of
     * 64 bits.
     */
    public NumberRange checked(Value value) {
        return dtype(value) != DType.INT64 || proved.of(value).isWithin(of(value)) ? null : of(value);
    }

    /** Why NNAPI, whose whole numbers have 32 bits, computes something else than PyTorch; null where it does not. */
    public Reason unsupported(Node node) {
        Value wide = Stream.concat(
                        node.inputs().stream(), node.outputs().stream().filter(Value::isUsed))
                .map(this::beyondBits)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (wide != null) {
            return tooWide(wide);
        }
        if (OperatorTrait.QUOTIENT.of(node)
                && read.isWhole(node)
                && of(node.input(1)).has(0)) {
            return new Reason(
                    "whole numbers are divided by others than 0, for which PyTorch raises an error",
                    "a divisor of " + of(node.input(1)).text(),
                    "one that cannot be 0",
                    "say what bounds it, by torch.clamp, or divide real numbers");
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                Reason reason = unsupported(inner);
                if (reason != null) {
                    return reason;
                }
            }
            Value number = block.nodes().stream()
                    .filter(inner -> !inner.is(Prim.CONSTANT))
                    .flatMap(inner -> inner.outputs().stream())
                    .filter(made -> made.type() == Type.Basic.INT && !fits(made))
                    .findFirst()
                    .orElse(null);
            if (number != null) {
                return tooWide(number);
            }
        }
        return null;
    }

    private Reason tooWide(Value value) {
        return new Reason(
                "NNAPI's whole numbers have 32 bits",
                "numbers that may be " + of(value).text(),
                NumberRange.INT32.text(),
                "say what bounds them, by a remainder or torch.clamp");
    }

    /** What of a value, or of the items of a list, 32 bits may not hold; null where they hold all. */
    private Value beyondBits(Value value) {
        Node list = value.definition();
        if (list != null && (list.is(Prim.LIST_CONSTRUCT) || list.is(Prim.TUPLE_CONSTRUCT))) {
            return list.inputs().stream()
                    .map(this::beyondBits)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        return dtype(value) == DType.INT64 && !fits(value) ? value : null;
    }

    private boolean fits(Value value) {
        NumberRange range = of(value);
        return range.isWithin(NumberRange.INT32)
                || isCutOff(value) && areTruths(value)
                || GatherLowering.arePlaces(value)
                        && (isCutOff(value)
                                || range.low() > BEYOND_TABLES - WRAP && range.high() < WRAP - BEYOND_TABLES);
    }

    /** Whether all that is read of numbers is which of them are 0. */
    private static boolean areTruths(Value value) {
        return value.uses().stream().allMatch(use -> use.user().kind().startsWith("aten::logical_"));
    }

    /** Whether real numbers became whole ones: what is beyond 32 bits is then the last one within. */
    private boolean isCutOff(Value value) {
        Node made = value.definition();
        TensorFacts from = made == null || !made.is("aten::to") ? null : facts.of(made.input(0));
        return from != null && from.dtype().isFloating();
    }

    private DType dtype(Value value) {
        TensorFacts known = facts.of(value);
        return known == null ? null : known.dtype();
    }

    /** Whatever a value's type lets it be. */
    private NumberRange all(Value value) {
        DType dtype = dtype(value);
        return dtype != null
                ? NumberRange.of(dtype)
                : value.type() == Type.Basic.INT
                        ? NumberRange.INT64
                        : value.type() == Type.Basic.BOOL ? NumberRange.TRUTH : NumberRange.ANY;
    }

    /** What an argument or attribute may be. */
    private NumberRange source(Value value) {
        boolean whole = dtype(value) == DType.INT64 || value.type() == Type.Basic.INT;
        Value root = root(value);
        if (assumed == null || !whole || !isWithin(root, NumberRange.INT32)) {
            return all(value);
        }
        return assumed.getOrDefault(root, isWithin(root, ENTERING) ? ENTERING : NumberRange.INT32);
    }

    /** Whether an argument's example, if it has one, lies within a range. */
    private boolean isWithin(Value argument, NumberRange range) {
        LongSummaryStatistics own = facts.wholes().get(argument);
        return own == null || new NumberRange(own.getMin(), own.getMax()).isWithin(range);
    }

    private static Value root(Value value) {
        Value at = value;
        while (at.definition() != null && !at.definition().inputs().isEmpty()) {
            at = at.definition().input(0);
        }
        return at;
    }

    private void walk(Block block) {
        for (Node node : block.nodes()) {
            switch (node.kind()) {
                case Prim.CONSTANT -> set(node.output(), constant(node.attribute("value")));
                case Prim.IF -> choice(node);
                case Prim.LOOP -> loop(node);
                case Prim.LIST_CONSTRUCT, Prim.TUPLE_CONSTRUCT ->
                    set(
                            node.output(),
                            node.inputs().stream()
                                    .map(this::of)
                                    .reduce(NumberRange::or)
                                    .orElse(NumberRange.of(0)));
                case Prim.LIST_UNPACK, Prim.TUPLE_UNPACK, Prim.TUPLE_INDEX, Prim.UNCHECKED_CAST, "aten::__getitem__" ->
                    part(node);
                case Prim.GET_ATTR -> {
                    ranges.put(node.output(), source(node.output()));
                    given.add(node.output());
                }
                default -> {
                    for (int i = 0; i < node.outputs().size(); i++) {
                        set(node.output(i), RangeRules.of(node, i, read));
                    }
                    node.blocks().forEach(this::walk);
                }
            }
        }
    }

    private void set(Value value, NumberRange range) {
        DType dtype = dtype(value);
        boolean written = dtype != null && facts.isWritten(value);
        ranges.put(
                value,
                written
                        ? all(value)
                        : dtype != null
                                ? range.as(dtype)
                                : value.type() == Type.Basic.INT ? range.as(DType.INT64) : range);
    }

    private void part(Node node) {
        boolean argument = given.contains(node.input(0));
        for (Value output : node.outputs()) {
            if (argument) {
                given.add(output);
                ranges.put(output, source(output));
            } else {
                set(output, of(node.input(0)));
            }
        }
    }

    private static NumberRange constant(Object value) {
        if (value instanceof Tensor tensor) {
            return constant(tensor);
        }
        if (value instanceof Boolean flag) {
            return NumberRange.of(flag ? 1 : 0);
        }
        if (value instanceof Number number) {
            return NumberRange.of(number.doubleValue());
        }
        List<?> items = value instanceof ScriptList list
                ? list.items()
                : value instanceof ScriptTuple tuple ? tuple.items() : List.of();
        return items.stream().map(ValueRanges::constant).reduce(NumberRange::or).orElse(NumberRange.ANY);
    }

    private static NumberRange constant(Tensor tensor) {
        if (tensor.dtype().isQuantized() || tensor.dtype().isComplex() || tensor.numel() == 0) {
            return NumberRange.ANY;
        }
        if (tensor.dtype().isIntegral()) {
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            for (long number : tensor.toLongArray()) {
                low = Math.min(low, number);
                high = Math.max(high, number);
            }
            return new NumberRange(low, high);
        }
        if (tensor.numel() > MOST_READ) {
            return NumberRange.ANY;
        }
        Tensor dense = tensor.contiguous();
        return NumberRange.around(IntStream.range(0, (int) dense.numel())
                .mapToDouble(dense::getDouble)
                .toArray());
    }

    private void choice(Node node) {
        node.blocks().forEach(this::walk);
        for (int i = 0; i < node.outputs().size(); i++) {
            NumberRange range = null;
            for (Block block : node.blocks()) {
                boolean raises = block.nodes().stream().anyMatch(NodeBuilder::isRaise);
                NumberRange own = of(block.results().get(i));
                range = raises ? range : range == null ? own : range.or(own);
            }
            set(node.output(i), range == null ? NumberRange.ANY : range);
        }
    }

    private void loop(Node node) {
        Block body = node.blocks().get(0);
        NumberRange turns = of(node.input(0));
        set(body.parameters().get(0), new NumberRange(0, Math.max(0, turns.high() - 1)));
        List<Value> carried = body.parameters().subList(1, body.parameters().size());
        for (int i = 0; i < carried.size(); i++) {
            set(carried.get(i), of(node.input(i + 2)));
        }
        int followed = turns.high() <= MOST_TURNS ? MOST_TURNS : FEW_TURNS;
        int turn = 0;
        do {
            walk(body);
        } while (join(carried, body, turn++ < followed));
        for (int i = 0; i < carried.size(); i++) {
            set(node.output(i), of(node.input(i + 2)).or(of(body.results().get(i + 1))));
        }
    }

    /** @return whether a value that the loop carries may be more than was thought */
    private boolean join(List<Value> carried, Block body, boolean stepwise) {
        boolean changed = false;
        for (int i = 0; i < carried.size(); i++) {
            Value value = carried.get(i);
            Value result = body.results().get(i + 1);
            boolean counts = isCounter(value, result);
            NumberRange before = of(value);
            NumberRange after = before.or(counts ? TURNS : of(result));
            if (!after.equals(before)) {
                set(value, stepwise || counts ? after : all(value));
                // What the body gives may be of a type with more numbers.
                changed |= !of(value).equals(before);
            }
        }
        return changed;
    }

    /** Whether a number grows by little in each turn: no loop takes so many that it leaves 32 bits. */
    private static boolean isCounter(Value parameter, Value result) {
        Node made = result.definition();
        return parameter.type() == Type.Basic.INT
                && made != null
                && (made.is("aten::add") || made.is("aten::sub"))
                && made.input(0) == parameter
                && Literals.orNull(made.input(1)) instanceof Long step
                && Math.abs(step) <= MOST_STEP;
    }

    /** What the rules ask. */
    private final class Read implements RangeRules.Read {
        @Override
        public NumberRange of(Node node, int argument) {
            return has(node, argument) ? ValueRanges.this.of(node.input(argument)) : NumberRange.ANY;
        }

        @Override
        public boolean has(Node node, int argument) {
            return argument < node.inputs().size() && !Literals.isNone(node.input(argument));
        }

        @Override
        public double count(Node node, int argument) {
            List<Integer> sizes = sizes(node, argument);
            double product = sizes == null ? Integer.MAX_VALUE : 1;
            for (int size : sizes == null ? List.<Integer>of() : sizes) {
                product *= size;
            }
            return bound(product);
        }

        @Override
        public double length(Node node, int argument) {
            List<Integer> sizes = sizes(node, argument);
            return bound(
                    sizes == null
                            ? Integer.MAX_VALUE
                            : sizes.stream().mapToInt(size -> size).max().orElse(1));
        }

        @Override
        public double joined(Node node) {
            TensorFacts made = facts.of(node.output(0));
            return made == null || open ? count(node, 0) : bound(count(node, 0) / Math.max(1, made.count()));
        }

        @Override
        public boolean isWhole(Node node) {
            Value made = node.outputs().isEmpty() ? null : node.output(0);
            DType dtype = made == null ? null : dtype(made);
            return dtype != null ? dtype.isIntegral() : made != null && made.type() == Type.Basic.INT;
        }

        private double bound(double number) {
            return open ? Math.max(OPEN, number) : Math.max(1, number);
        }

        private List<Integer> sizes(Node node, int argument) {
            TensorFacts known = facts.of(node.input(argument));
            if (known == null || facts.rows().of(node.input(argument)) != null) {
                return null;
            }
            List<Integer> sizes = new ArrayList<>();
            for (int size : known.shape()) {
                sizes.add(size);
            }
            return sizes;
        }
    }
}
