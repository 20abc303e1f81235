package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.operators.shape.SizeExpressionInference;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * A recording for sizes that are left open: of recordings for several sizes that are made of the same calls, each
 * number that differs as a formula of the sizes. Sizes that were not looked at are recorded, too, and have to be as the
 * formulas say. Confined to one thread.
 */
final class SizedProgram {
    /** Records the method on arguments. */
    interface Recorder {
        /**
         * @param answers how numbers are to compare, in order; as they do where it ends
         * @param unbacked what the numbers are to be that elements decide, in order; as they come where it ends
         */
        ProgramGraph record(List<Object> arguments, List<Boolean> answers, long... unbacked);
    }

    /** A recording's parts and numbers. */
    private static final class Listed implements RecordingWalk.Visitor {
        private final List<String> parts = new ArrayList<>();
        private final List<SourceRange> places = new ArrayList<>();
        private final List<Number> numbers = new ArrayList<>();

        @Override
        public void part(String text, SourceRange place) {
            parts.add(text);
            places.add(place);
        }

        @Override
        public Object number(Number value, SourceRange place, boolean inner) {
            numbers.add(value);
            return value;
        }

        @Override
        public void layout(GraphTensor tensor) {
            for (long[] layout : List.of(tensor.sizes(), tensor.strides(), new long[] {tensor.offset()})) {
                Arrays.stream(layout).forEach(numbers::add);
            }
        }

        @Override
        public void fact(NumberFacts.Fact fact) {
            numbers.addAll(List.of(fact.left(), fact.right(), fact.result()));
        }

        @Override
        public GraphTensor constant(GraphTensor tensor, List<Object> elements) {
            return tensor;
        }

        /** Where another recording is made of something else, in words; null where it is not. */
        String difference(Listed other) {
            for (int i = 0; i < Math.min(parts.size(), other.parts.size()); i++) {
                if (!parts.get(i).equals(other.parts.get(i))) {
                    return parts.get(i) + " in the example and " + other.parts.get(i) + " otherwise"
                            + (places.get(i).file() == null ? "" : " at " + places.get(i));
                }
            }
            return parts.size() == other.parts.size() ? null : "more calls than in the example";
        }
    }

    private final ProgramGraph base;
    private final OpenSizes open;
    private final List<long[]> samples;
    private final List<List<Number>> values;
    private final SymbolValues symbols;
    private final SizeCalls calls;
    private final SizeConditions conditions;
    private final SizeExpressionInference inference;
    private final Map<String, String> problems = new LinkedHashMap<>();
    private final Set<Integer> within = new TreeSet<>();
    private int at;

    private SizedProgram(
            ProgramGraph base, OpenSizes open, List<long[]> samples, int found, List<List<Number>> values) {
        this.base = base;
        this.open = open;
        this.samples = samples;
        this.values = values;
        SymbolValues symbols = new SymbolValues(samples.get(0), open.backed());
        this.symbols = symbols;
        this.calls = new SizeCalls(open, base.tensors(), symbols);
        this.conditions = new SizeConditions(symbols, calls::read);
        this.inference = new SizeExpressionInference(samples.subList(0, found).toArray(new long[0][]));
        this.found = found;
    }

    /** Samples that formulas are found from; the others check them. */
    private final int found;

    /**
     * Leaves sizes of a recording open.
     *
     * @param example what it was recorded on
     * @return views whose sizes follow from no formula, by their order in a run: with these as numbers of their own it
     *     has to be recorded again; empty where the sizes are open now
     * @throws UnwritableProgramException if what the method does follows from sizes otherwise than by formulas
     */
    static Set<Integer> open(ProgramGraph base, List<Object> example, OpenSizes asked, Recorder recorder) {
        Listed first = listed(base);
        long[] found = base.unbacked().stream().mapToLong(UnbackedNumber::value).toArray();
        OpenSizes open = asked;
        while (true) {
            Map<List<Long>, List<Number>> recorded = new LinkedHashMap<>();
            String[] reason = {null};
            OpenSizes trial = open;
            long[] sizes = open.values(example, found);
            recorded.put(key(sizes), first.numbers);
            SizeSamples samples = new SizeSamples(sizes, trial.backed(), tried -> {
                String differs;
                try {
                    ProgramGraph made = recorder.record(trial.resized(example, tried), List.of(), trial.found(tried));
                    Listed other = listed(made);
                    differs = base.setsSame(made) ? first.difference(other) : "an attribute is set to something else";
                    recorded.put(key(tried), other.numbers);
                } catch (ScriptException | IllegalArgumentException e) {
                    differs = String.valueOf(e.getMessage());
                }
                reason[0] = reason[0] == null ? differs : reason[0];
                return differs == null;
            });
            int narrow = samples.find();
            if (narrow < 0) {
                return write(base, open, samples, recorded, recorder, example, first);
            }
            OpenSizes tied = open.tied(narrow, sizes);
            if (tied == null) {
                throw new UnwritableProgramException(described(base, open, narrow, sizes)
                        + ": with few other sizes the method does the same: " + reason[0]
                        + " (expected: at least four near the example's with which it differs in numbers alone)");
            }
            open = tied;
        }
    }

    private static String described(ProgramGraph base, OpenSizes open, int symbol, long... sizes) {
        if (symbol >= open.backed()) {
            UnbackedNumber number = base.unbacked().get(open.unbacked().indexOf(symbol));
            return "number " + number.value() + " at " + number.place() + " that elements decide";
        }
        OpenSizes.Place place = open.place(symbol);
        return "size " + sizes[symbol] + " in dimension " + place.dimension() + " of tensor " + place.tensor()
                + " left open";
    }

    private static Set<Integer> write(
            ProgramGraph base,
            OpenSizes open,
            SizeSamples samples,
            Map<List<Long>, List<Number>> recorded,
            Recorder recorder,
            List<Object> example,
            Listed first) {
        List<long[]> all = samples.ran();
        int found = all.size();
        for (long[] check : samples.checked()) {
            try {
                Listed other = listed(recorder.record(open.resized(example, check), List.of(), open.found(check)));
                if (first.difference(other) == null) {
                    all.add(check);
                    recorded.put(key(check), other.numbers);
                }
            } catch (ScriptException | IllegalArgumentException outside) {
                // Sizes that the method does not take say nothing.
                continue;
            }
        }
        List<List<Number>> values = new ArrayList<>();
        all.forEach(sample -> values.add(recorded.get(key(sample))));
        return new SizedProgram(base, open, all, found, values).rewrite(samples, example, recorder);
    }

    private static List<Long> key(long... sizes) {
        List<Long> key = new ArrayList<>();
        Arrays.stream(sizes).forEach(key::add);
        return key;
    }

    /** Whether the results of two recordings follow from the same calls with the same numbers. */
    static boolean haveSameCalls(ProgramGraph one, ProgramGraph other) {
        Listed left = new Listed();
        Listed right = new Listed();
        new RecordingWalk(left).overUsed(one);
        new RecordingWalk(right).overUsed(other);
        return left.parts.equals(right.parts) && left.numbers.equals(right.numbers);
    }

    private static Listed listed(ProgramGraph graph) {
        Listed listed = new Listed();
        new RecordingWalk(listed).over(graph);
        return listed;
    }

    private Set<Integer> rewrite(SizeSamples sampled, List<Object> example, Recorder recorder) {
        for (int k = 0; k < open.symbols(); k++) {
            if (!sampled.isFar(k)) {
                range(k, sampled.extreme(k, true), sampled.extreme(k, false));
            }
        }
        new RecordingWalk(new RecordingWalk.Visitor() {
                    @Override
                    public void part(String text, SourceRange place) {
                        // Alike in all recordings.
                    }

                    @Override
                    public Object number(Number value, SourceRange place, boolean inner) {
                        Object open = next(value, place);
                        if (inner && open instanceof GraphNumber) {
                            problem(place, "in a graph that a branch or loop takes, a number");
                        }
                        return open;
                    }

                    @Override
                    public void layout(GraphTensor tensor) {
                        tensor.open(
                                SizedProgram.this.layout(tensor.sizes()),
                                SizedProgram.this.layout(tensor.strides()),
                                SizedProgram.this.layout(tensor.offset()),
                                symbols);
                    }

                    @Override
                    public void fact(NumberFacts.Fact fact) {
                        SizedProgram.this.fact(fact);
                    }

                    @Override
                    public GraphTensor constant(GraphTensor tensor, List<Object> elements) {
                        return elements.stream().anyMatch(element -> element instanceof GraphNumber)
                                ? calls.tensor(tensor, elements)
                                : tensor;
                    }
                })
                .over(base);
        if (!within.isEmpty()) {
            return within;
        }
        if (!problems.isEmpty()) {
            StringJoiner text = new StringJoiner("; ");
            problems.forEach((place, what) -> text.add(what + place));
            throw new UnwritableProgramException(text
                    + " follows from open sizes, or from numbers that elements decide, by no formula that their values "
                    + "tell (expected: their sums, products and quotients)");
        }
        for (int k = open.backed(); k < open.symbols(); k++) {
            int symbol = k;
            if (conditions.checks().stream().anyMatch(check -> forbidsNone(check, symbol))
                    && isSameWithNone(symbol, example, recorder)) {
                conditions.checks().removeIf(check -> forbidsNone(check, symbol));
            }
        }
        base.leaveOpen(open, conditions, calls);
        return Set.of();
    }

    /** Whether a check says that there is at least one, and nothing else. */
    private boolean forbidsNone(SizeConditions.Check check, int symbol) {
        long[] sizes = symbols.example().clone();
        boolean[] holds = new boolean[3];
        for (int n = 0; n < holds.length; n++) {
            sizes[symbol] = n;
            holds[n] = check.holds(sizes);
        }
        return !holds[0] && holds[1] && holds[2] && check.holds(symbols.example());
    }

    /**
     * Whether the way that the example takes gives the same as the one that the method has for none, such as an early
     * return of nothing: with the example's elements, and with others.
     */
    private boolean isSameWithNone(int symbol, List<Object> example, Recorder recorder) {
        long[] sizes = symbols.example().clone();
        sizes[symbol] = 0;
        long[] given = Arrays.copyOf(open.found(sizes), open.unbacked().lastIndexOf(symbol) + 1);
        Operator negation = OperatorCalls.operator("aten::neg");
        List<Object> other = new ArrayList<>();
        example.forEach(argument -> other.add(ProgramGraph.mapped(
                argument,
                tensor -> tensor.dtype().isFloating()
                        ? (Tensor) negation.kernel().call(new Object[] {tensor})
                        : tensor)));
        try {
            for (List<Object> arguments : List.of(example, other)) {
                ProgramGraph way = recorder.record(arguments, base.answers(), given);
                if (!way.givesSame(recorder.record(arguments, List.of(), given))) {
                    return false;
                }
            }
            return true;
        } catch (ScriptException | IllegalArgumentException e) {
            return false;
        }
    }

    /** A symbol has to be within what was tried. */
    private void range(int symbol, long least, long most) {
        if (symbols.isBacked(symbol)) {
            conditions.range(symbol, least, most);
            return;
        }
        UnbackedNumber number = base.unbacked().get(open.unbacked().indexOf(symbol));
        int behind = base.recordedCalls().indexOf(number.call()) + 1;
        Formula formula = new Formula.OpenSize(symbol);
        conditions.compares(NumberFacts.Kind.GE, formula, new Formula.Number(least), behind, number.place());
        conditions.compares(NumberFacts.Kind.LE, formula, new Formula.Number(most), behind, number.place());
    }

    private void problem(SourceRange place, String what) {
        problems.putIfAbsent(place.file() == null ? "" : " at " + place, what);
    }

    private List<Formula> layout(long... numbers) {
        List<Formula> formulas = new ArrayList<>();
        for (long number : numbers) {
            Formula formula = formula(at++);
            // A size that elements decide is the example's in the table, which no call reads.
            formulas.add(formula == null ? new Formula.Number(number) : formula);
        }
        return formulas;
    }

    /** What stands in the place of the next number. */
    private Object next(Number value, SourceRange place) {
        int index = at++;
        if (isFixed(index)) {
            return value;
        }
        if (value instanceof Long) {
            Formula formula = formula(index);
            if (formula != null) {
                return calls.number(formula);
            }
        } else {
            RealFormula formula = real(index);
            if (formula != null) {
                return calls.number(formula);
            }
        }
        problem(place, "the number " + value);
        return value;
    }

    private boolean isFixed(int index) {
        return values.stream()
                .allMatch(sample -> sample.get(index).equals(values.get(0).get(index)));
    }

    /** What arithmetic on formulas gives; nothing where that is none. */
    private static List<Formula> computed(NumberFacts.Kind kind, Formula left, Formula right) {
        Formula.Number number = right instanceof Formula.Number known ? known : null;
        return switch (kind) {
            case SUM -> List.of(Formula.sum(left, right));
            case DIFFERENCE ->
                List.of(
                        number == null
                                ? Formula.sum(left, Formula.times(right, -1))
                                : Formula.plus(left, -number.value()));
            case PRODUCT ->
                List.of(number == null ? new Formula.Product(left, right) : Formula.times(left, number.value()));
            case QUOTIENT ->
                number == null || number.value() < 1 ? List.of() : List.of(Formula.over(left, number.value()));
            default -> List.of();
        };
    }

    private Formula formula(int index) {
        return formula(index, List.of());
    }

    /** Null where there is none. */
    private Formula formula(int index, List<Formula> guesses) {
        long[] all = values.stream()
                .mapToLong(sample -> sample.get(index).longValue())
                .toArray();
        Formula formula = inference.of(Arrays.copyOf(all, found), guesses);
        for (int i = found; formula != null && i < all.length; i++) {
            formula = formula.of(samples.get(i)) == all[i] ? formula : null;
        }
        return formula;
    }

    private RealFormula real(int index) {
        double[] all = values.stream()
                .mapToDouble(sample -> sample.get(index).doubleValue())
                .toArray();
        RealFormula formula = inference.real(Arrays.copyOf(all, found), false);
        for (int i = found; formula != null && i < all.length; i++) {
            formula = formula.of(samples.get(i)) == all[i] ? formula : null;
        }
        return formula;
    }

    /** Whether a bound is behind a size whatever that is, which PyTorch knows, too. */
    private boolean endsBehind(Formula size, long bound) {
        if (!(size instanceof Formula.OpenSize symbol) || open.backed() > 0) {
            return false;
        }
        int number = open.unbacked().indexOf(symbol.index());
        return bound >= base.unbacked().get(number).most();
    }

    private void fact(NumberFacts.Fact fact) {
        int left = at++;
        int right = at++;
        int result = at++;
        if (fact.kind() == NumberFacts.Kind.BOUNDS) {
            if (!isFixed(left) && !endsBehind(formula(left), fact.result().longValue())) {
                within.add(fact.right().intValue());
            }
            return;
        }
        boolean whole = fact.left() instanceof Long && fact.right() instanceof Long && fact.result() instanceof Long;
        boolean computes = !fact.kind().compares() && fact.kind() != NumberFacts.Kind.FIXED;
        if (isFixed(left) && isFixed(right) || computes && !whole) {
            return;
        }
        Formula one = whole ? formula(left) : null;
        Formula other = whole ? formula(right) : null;
        boolean asserts = fact.kind() == NumberFacts.Kind.QUOTIENT || fact.kind() == NumberFacts.Kind.REST;
        if (computes && !(asserts && isFixed(result))) {
            List<Formula> guesses = one == null || other == null ? List.of() : computed(fact.kind(), one, other);
            if (!guesses.isEmpty()) {
                formula(result, guesses);
            }
        } else if (one == null || other == null || fact.kind() == NumberFacts.Kind.FIXED) {
            problem(fact.place(), "which way is taken, or how often a loop runs,");
        } else if (fact.kind().compares()) {
            conditions.compares(fact.kind(), one, other, fact.before(), fact.place());
        } else if (!conditions.gives(fact.kind(), one, other, fact.result().longValue(), fact.before(), fact.place())) {
            problem(fact.place(), "what a number leaves of another");
        }
    }
}
