package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.shape.SampleShapes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Tensors whose first dimension has as many rows as elements decide, while all else of their shape is known. They come
 * from operators whose results' sizes depend on elements, and from lists of sizes that hold a number which is computed.
 * What is made of them is found by trying: an operator runs on samples of several numbers of rows, one of them larger
 * than any number among its arguments, and what all results have in common is known.
 */
final class UnbackedDims {
    /** Nothing is tried on more elements; where elements decide sizes, as each may be compared with each, on fewer. */
    private static final long MOST = 1L << 22;

    private static final long MOST_DECIDING = 1L << 17;
    /** Numbers of rows that are tried: that of the first count, and what the others have more each. */
    private static final int[][] TRIED = {{1, 0}, {3, 2}, {8, 5}};

    private static final int BEYOND = 11;

    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final WideningState widening;
    private final RowTable table = new RowTable();
    /** The number that was computed first for a count, and where. */
    private final Map<RowFacts.Count, Value> sizes = new IdentityHashMap<>();

    private final Map<Value, Block> homes = new IdentityHashMap<>();

    /** By which masks rows are picked of a number. */
    private final Map<PickedRows.Picking, RowFacts.Count> picked = new IdentityHashMap<>();

    private final PickedRows masked;

    UnbackedDims(AbstractInterpreter interpreter, ResidualGraph residual, WideningState widening, PickedRows masked) {
        this.masked = masked;
        this.interpreter = interpreter;
        this.residual = residual;
        this.widening = widening;
    }

    RowTable table() {
        return table;
    }

    private RowFacts of(AbstractValue known) {
        return known instanceof Open open && open.sample() == null ? table.of(open.value()) : null;
    }

    /**
     * Answers what does not depend on the number of rows, and tells which number that is.
     *
     * @return whether the node was such a question
     */
    boolean answers(Node node, List<AbstractValue> inputs, Operator operator) {
        RowFacts rows = inputs.isEmpty() ? null : of(inputs.get(0));
        if (rows == null
                || !OperatorTrait.READS_GEOMETRY.of(node)
                || node.outputs().size() != 1) {
            return false;
        }
        if (NodeBuilder.isSize(node) && inputs.size() == 1) {
            ScriptList list = new ScriptList(Type.Basic.INT);
            list.items().add(number(rows.count(), inputs.get(0)));
            Arrays.stream(rows.row()).forEach(size -> list.items().add(new Known((long) size)));
            interpreter.hold(node, list);
            return true;
        }
        Trials trials = tried(node, inputs, operator);
        if (trials == null) {
            return false;
        }
        List<Object> answers =
                trials.results.stream().map(results -> results[0]).collect(Streams.toList());
        if (answers.get(0) instanceof Tensor
                || answers.get(0) instanceof ScriptList
                || answers.get(0) instanceof ScriptTuple) {
            return false;
        }
        if (answers.stream().allMatch(answer -> Objects.equals(answer, answers.get(0)))) {
            interpreter.define(node.output(), new Known(answers.get(0)));
            return true;
        }
        boolean counts = answers.stream().allMatch(Long.class::isInstance)
                && trials.count(answers.stream()
                                .map(answer -> Math.toIntExact((Long) answer))
                                .collect(Streams.toList()))
                        == rows.count();
        if (counts) {
            interpreter.define(node.output(), number(rows.count(), inputs.get(0)));
        }
        return counts;
    }

    /** How many rows a tensor has, where elements decide it and all else is known; else null. */
    Value number(AbstractValue tensor) {
        RowFacts rows = of(tensor);
        return rows == null ? null : ((Open) number(rows.count(), tensor)).value();
    }

    /**
     * How many rows a tensor has, as a number that was computed as early as possible: a tensor that only tells it is
     * not needed for that.
     */
    private AbstractValue number(RowFacts.Count count, AbstractValue tensor) {
        Value made = sizes.get(count);
        if (made == null || homes.get(made) != residual.current() && !residual.isOutermost(homes.get(made))) {
            made = residual.size(tensor, 0);
            table.number(made, count);
            sizes.put(count, made);
            homes.put(made, residual.current());
        }
        return interpreter.open(made, null);
    }

    /**
     * Finds what is known of the results of a node that was just left; of a list of tensors these may be followed
     * already.
     */
    void follow(Node node, List<AbstractValue> inputs, Operator operator) {
        boolean plain = !node.outputs().isEmpty()
                && node.outputs().stream().map(interpreter::of).allMatch(UnbackedDims::isUnknown)
                && !node.schema().isMutating()
                && !Effects.hasSideEffects(node)
                && !Effects.isRandom(node);
        Trials trials = plain ? tried(node, inputs, operator) : null;
        if (trials == null) {
            return;
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            int at = i;
            List<Object> results =
                    trials.results.stream().map(several -> several[at]).collect(Streams.toList());
            Value made = interpreter.of(node.output(i)) instanceof Open open ? open.value() : null;
            if (made == null) {
                followItems(
                        ResidualGraph.items(((Held) interpreter.of(node.output(i))).container()), i, results, trials);
            } else if (made.type() == Type.Basic.TENSOR) {
                interpreter.define(
                        node.output(i), found(made, results, trials, trials.empty == null ? null : trials.empty[i]));
            } else if (isListOfTensors(made.type()) && !widening.isOpen(node)) {
                followList(node, i, made, results, trials);
            }
        }
    }

    private static boolean isUnknown(AbstractValue known) {
        return known instanceof Held held
                ? held.container() instanceof ScriptList list
                        && list.size() > 0
                        && list.items().stream().allMatch(item -> isUnknown((AbstractValue) item))
                : known instanceof Open open && open.sample() == null;
    }

    private static boolean isListOfTensors(Type type) {
        return type instanceof Type.ListType list && list.element() == Type.Basic.TENSOR;
    }

    /** A list of as many tensors whatever the number of rows is followed, item by item. */
    private void followList(Node node, int output, Value made, List<Object> results, Trials trials) {
        int length = results.get(0) instanceof ScriptList first ? first.size() : 0;
        if (length == 0 || !areListsOf(length, results)) {
            return;
        }
        List<AbstractValue> items = residual.unpack(made, length).stream()
                .map(part -> new Open(part, null))
                .collect(Streams.toList());
        interpreter.define(
                node.output(output),
                new Held(
                        new ScriptList(Type.Basic.TENSOR, new ArrayList<>(followItems(items, output, results, trials))),
                        made.type(),
                        node,
                        residual.current()));
    }

    private List<AbstractValue> followItems(
            List<AbstractValue> items, int output, List<Object> results, Trials trials) {
        if (!areListsOf(items.size(), results)) {
            return items;
        }
        boolean hasEmpty = trials.empty != null && areListsOf(items.size(), List.of(trials.empty[output]));
        List<AbstractValue> found = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            int at = i;
            List<Object> each = results.stream()
                    .map(result -> ((ScriptList) result).items().get(at))
                    .collect(Streams.toList());
            found.add(found(
                    ((Open) items.get(i)).value(),
                    each,
                    trials,
                    hasEmpty ? ((ScriptList) trials.empty[output]).items().get(i) : null));
        }
        return found;
    }

    private static boolean areListsOf(int length, List<Object> results) {
        return results.stream().allMatch(result -> result instanceof ScriptList list && list.size() == length);
    }

    /** What all results have in common, those of no rows among them where there are such. */
    private AbstractValue found(Value made, List<Object> results, Trials trials, Object empty) {
        if (results.stream().anyMatch(result -> !(result instanceof Tensor tensor) || tensor.quantization() != null)) {
            return new Open(made, null);
        }
        Tensor first = (Tensor) results.get(0);
        boolean same = results.stream()
                .allMatch(result -> TensorFacts.of((Tensor) result).equals(TensorFacts.of(first)));
        if (same && !trials.decided) {
            if (empty instanceof Tensor tensor && TensorFacts.of(tensor).equals(TensorFacts.of(first))) {
                return interpreter.open(made, first);
            }
            if (empty == null) {
                return new Open(made, null);
            }
        }
        RowFacts rows = first.rank() == 0 ? null : new RowFacts(null, first.dtype(), row(first));
        boolean alike = rows != null
                && Arrays.stream(rows.row()).allMatch(size -> size > 0)
                && results.stream().allMatch(result -> isLike(rows, (Tensor) result))
                && (empty == null || isLike(rows, (Tensor) empty));
        if (!alike) {
            return new Open(made, null);
        }
        List<Integer> numbers =
                results.stream().map(result -> ((Tensor) result).size(0)).collect(Streams.toList());
        RowFacts.Count count = trials.decided ? null : trials.count(numbers);
        count = count == null ? trials.counts.computeIfAbsent(numbers, n -> new RowFacts.Count(trials.most(n))) : count;
        return put(made, new RowFacts(count, rows.dtype(), rows.row()));
    }

    private AbstractValue put(Value made, RowFacts found) {
        AbstractValue open = new Open(made, null);
        PickedRows.Rows picks = masked.of(open);
        RowFacts.Count count = picks == null || picks.dimension() != 0
                ? found.count()
                : picked.computeIfAbsent(picks.picking(), p -> found.count());
        table.put(made, new RowFacts(count, found.dtype(), found.row()));
        if (!sizes.containsKey(count)) {
            number(count, open);
        }
        return open;
    }

    private static int[] row(Tensor tensor) {
        return Arrays.copyOfRange(tensor.sizes(), 1, tensor.rank());
    }

    private static boolean isLike(RowFacts rows, Tensor tensor) {
        return tensor.rank() > 0 && tensor.dtype() == rows.dtype() && Arrays.equals(row(tensor), rows.row());
    }

    /** Of what is either one or the other, and whose shape is not known: rows, where both are such. */
    void join(Value made, AbstractValue one, AbstractValue other) {
        RowFacts first = rowsOf(one);
        RowFacts second = rowsOf(other);
        if (first != null && second != null && first.isLike(second)) {
            boolean same = of(one) != null && of(other) != null && first.count() == second.count();
            put(
                    made,
                    new RowFacts(
                            same
                                    ? first.count()
                                    : new RowFacts.Count(Math.max(
                                            first.count().most(), second.count().most())),
                            first.dtype(),
                            first.row()));
        }
    }

    /** Lets a value have the rows of another one. */
    void same(Value made, AbstractValue other) {
        RowFacts rows = of(other);
        if (rows != null) {
            table.put(made, rows);
        }
    }

    private RowFacts rowsOf(AbstractValue known) {
        RowFacts rows = of(known);
        boolean tensor = rows == null
                && AbstractInterpreter.sample(known) instanceof Tensor sample
                && sample.rank() > 0
                && sample.quantization() == null;
        return tensor
                ? new RowFacts(
                        new RowFacts.Count(((Tensor) AbstractInterpreter.sample(known)).size(0)),
                        ((Tensor) AbstractInterpreter.sample(known)).dtype(),
                        row((Tensor) AbstractInterpreter.sample(known)))
                : rows;
    }

    /** What an operator returned for some numbers of rows. */
    private static final class Trials {
        private final List<Map<RowFacts.Count, Integer>> numbers = new ArrayList<>();
        private final List<Object[]> results = new ArrayList<>();
        /** For no rows; null where it failed for those. */
        private Object[] empty;
        /** Whether elements decide the sizes of results. */
        private boolean decided;
        /** Of results whose number of rows is none of those of the arguments, by these numbers. */
        private final Map<List<Integer>, RowFacts.Count> counts = new HashMap<>();

        /** How large a number may be of which these were found. */
        int most(List<Integer> found) {
            int largest = found.stream().mapToInt(number -> number).max().orElse(0);
            Map<RowFacts.Count, Integer> last = numbers.get(numbers.size() - 1);
            int most = last.isEmpty() || last.values().stream().allMatch(number -> number > largest)
                    ? largest
                    : RowFacts.Count.ANY;
            for (RowFacts.Count count : last.keySet()) {
                boolean fewer = true;
                for (int i = 0; i < found.size(); i++) {
                    fewer &= found.get(i) <= numbers.get(i).get(count);
                }
                most = fewer ? Math.min(most, count.most()) : most;
            }
            return most;
        }

        /** Which count these numbers are, or null. */
        RowFacts.Count count(List<Integer> found) {
            for (RowFacts.Count count : numbers.get(0).keySet()) {
                boolean same = true;
                for (int i = 0; i < numbers.size(); i++) {
                    same &= numbers.get(i).get(count).equals(found.get(i));
                }
                if (same) {
                    return count;
                }
            }
            return null;
        }
    }

    /**
     * Runs an operator on samples; null where it takes no rows and elements decide nothing, where something else is not
     * known, or where it fails.
     */
    private Trials tried(Node node, List<AbstractValue> inputs, Operator operator) {
        Set<RowFacts.Count> counts = new LinkedHashSet<>();
        if (!inputs.stream().allMatch(input -> collect(input, false, counts))
                || counts.isEmpty() && !OperatorTrait.DATA_DEPENDENT.of(node) && !node.is("aten::index")) {
            return null;
        }
        long beyond = inputs.stream().mapToLong(UnbackedDims::largest).max().orElse(0) + BEYOND;
        if (beyond >= Integer.MAX_VALUE) {
            return null;
        }
        List<int[]> tried = new ArrayList<>(List.of(TRIED).subList(0, counts.isEmpty() ? 1 : TRIED.length));
        if (!counts.isEmpty()) {
            tried.add(new int[] {(int) beyond, 7});
        }
        Trials trials = new Trials();
        try {
            for (int[] step : tried) {
                Map<RowFacts.Count, Integer> numbers = numbers(counts, step);
                Object[] arguments = arguments(inputs, numbers, 0);
                if (arguments == null) {
                    return null;
                }
                trials.decided = SampleEvaluator.readsElements(node, arguments);
                boolean large = Arrays.stream(arguments)
                        .anyMatch(argument -> argument instanceof Tensor tensor && tensor.numel() > MOST_DECIDING);
                if (trials.decided ? large : counts.isEmpty()) {
                    return null;
                }
                trials.numbers.add(numbers);
                trials.results.add(results(node, operator, arguments));
                if (trials.decided) {
                    trials.numbers.add(numbers);
                    trials.results.add(results(node, operator, arguments(inputs, numbers, 1)));
                }
            }
        } catch (RuntimeException unfit) {
            return null;
        }
        try {
            trials.empty = counts.isEmpty()
                    ? null
                    : results(node, operator, arguments(inputs, numbers(counts, new int[2]), 0));
        } catch (RuntimeException unfit) {
            trials.empty = null;
        }
        return trials;
    }

    private static Map<RowFacts.Count, Integer> numbers(Set<RowFacts.Count> counts, int... step) {
        Map<RowFacts.Count, Integer> numbers = new IdentityHashMap<>();
        counts.forEach(count -> numbers.put(count, step[0] + step[1] * numbers.size()));
        return numbers;
    }

    private static Object[] results(Node node, Operator operator, Object... arguments) {
        Object stand = SampleShapes.zeros(node, operator, arguments);
        Object[] results = SampleEvaluator.results(
                node, stand != null ? stand : operator.kernel().call(arguments));
        if (Arrays.asList(results).contains(null)) {
            throw new IllegalArgumentException("no result");
        }
        return results;
    }

    private Object[] arguments(List<AbstractValue> inputs, Map<RowFacts.Count, Integer> numbers, int fill) {
        Object[] arguments = inputs.stream()
                .map(input -> SampleEvaluator.concrete(input, open -> argument(open, numbers, fill)))
                .toArray();
        return SampleEvaluator.areUnknown(arguments) ? null : arguments;
    }

    /** Collects numbers of rows; false where something else is not known. */
    private boolean collect(AbstractValue known, boolean listed, Set<RowFacts.Count> counts) {
        if (known instanceof Held held) {
            boolean ints = held.type() instanceof Type.ListType list && list.element() == Type.Basic.INT;
            return (held.container() instanceof ScriptList || held.container() instanceof ScriptTuple)
                    && ResidualGraph.items(held.container()).stream().allMatch(item -> collect(item, ints, counts));
        }
        if (!(known instanceof Open open) || open.sample() != null) {
            return true;
        }
        if (listed && table.counted(open.value()) == null) {
            table.number(open.value(), new RowFacts.Count(RowFacts.Count.ANY));
        }
        RowFacts rows = table.of(open.value());
        RowFacts.Count count = rows != null ? rows.count() : table.counted(open.value());
        return count != null && (counts.add(count) || true);
    }

    /** The largest whole number that an argument says; what means no bound is none. */
    private static long largest(AbstractValue known) {
        if (known instanceof Held held) {
            return held.container() instanceof ScriptList || held.container() instanceof ScriptTuple
                    ? ResidualGraph.items(held.container()).stream()
                            .mapToLong(UnbackedDims::largest)
                            .max()
                            .orElse(0)
                    : 0;
        }
        Object value = known instanceof Known constant ? constant.value() : null;
        long number = value instanceof Long whole ? Math.abs(whole) : 0;
        return number == Long.MAX_VALUE || number < 0 ? 0 : number;
    }

    private Object argument(Open open, Map<RowFacts.Count, Integer> numbers, int fill) {
        RowFacts rows = of(open);
        if (rows != null) {
            return filled(rows.of(numbers.get(rows.count())), fill);
        }
        RowFacts.Count count = open.sample() == null ? table.counted(open.value()) : null;
        return count != null
                ? (Object) (long) numbers.get(count)
                : open.sample() instanceof Tensor tensor && tensor.quantization() == null
                        ? filled(TensorFacts.of(tensor), fill)
                        : open.sample() != null ? open.sample() : SampleEvaluator.UNKNOWN;
    }

    /** A tensor of zeros or of ones; those of rare types are of zeros in any case. */
    private static Object filled(TensorFacts facts, int with) {
        if (facts.count() > MOST) {
            return SampleEvaluator.UNKNOWN;
        }
        int size = (int) facts.count();
        if (with == 1 && facts.dtype() == DType.FLOAT32) {
            float[] ones = new float[size];
            Arrays.fill(ones, 1);
            return Tensor.of(ones, facts.shape());
        }
        if (with == 1 && facts.dtype() == DType.INT64) {
            long[] ones = new long[size];
            Arrays.fill(ones, 1);
            return Tensor.of(ones, facts.shape());
        }
        Tensor made = Tensor.zeros(facts.dtype(), facts.shape());
        if (with == 1 && facts.dtype() == DType.BOOL) {
            Arrays.fill(made.storage().byteArray(), (byte) 1);
        }
        return made;
    }
}
