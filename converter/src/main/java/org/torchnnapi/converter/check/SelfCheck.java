package org.torchnnapi.converter.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.torchnnapi.converter.lower.UnquantizedInputs;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.TimeLimit;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.support.ModuleRewind;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Runs the original and the converted module on the same inputs and compares what they return. */
public final class SelfCheck {
    /**
     * Allowed difference of real results, as a fraction of the largest expected magnitude: rounding of float32 through
     * a deep network.
     */
    private static final double REAL_FRACTION = 2e-4;
    /** The same of a single operation. */
    private static final double OPERATION_FRACTION = 2e-5;
    /**
     * Of so many quantized elements one may be a tie of rounding, as PyTorch multiplies by reciprocals of scales where
     * NNAPI divides.
     */
    private static final int ELEMENTS_PER_TIE = 10_000;
    /** Results below this are noise. */
    private static final double SMALLEST = 1e-3;
    /** The same where NNAPI may compute in float16. */
    private static final double RELAXED_FRACTION = 3e-2;
    /**
     * Quantized models round after every layer, each device in its own way; the root mean square of the differences may
     * be this fraction of that of the results, or one quantum.
     */
    private static final double QUANTIZED_FRACTION = 0.05;

    private static final int MATRIX = 2;
    private static final int STATEFUL_CALLS = 8;
    /** A call with special numbers may take so many times what one with others takes, and this. */
    private static final int SPECIAL_TURNS = 10;

    private static final Duration SPECIAL_LEAST = Duration.ofSeconds(1);
    /**
     * By how many last bits inputs are changed at most to see whether results are steady: from what an input's own
     * rounding is to what a hundred layers make of rounding, some 4e-6 of a value, which is a fifth of what an
     * operation by itself may differ by.
     */
    private static final int[] NUDGES = {2, 2, 8, 8, 32, 32};

    /**
     * The outcome.
     *
     * @param agrees whether the results agree
     * @param text the largest difference, or what differs
     */
    public record Result(boolean agrees, String text) {}

    /** How exactly results have to agree. */
    public enum Bound {
        /** To the rounding of float32. */
        REAL,
        /** To the rounding of float32 in one operation. */
        OPERATION,
        /** To the rounding of float16. */
        RELAXED,
        /** On average, as every layer rounds to a quantum. */
        QUANTIZED
    }

    private SelfCheck() {}

    /**
     * Runs a module.
     *
     * @return the tensors of its result, those of lists, tuples and dicts in their order
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> run(ScriptModule module, String method, List<?> inputs) {
        return Structures.tensors(Collections.singletonList(
                module.call(method, inputs.stream().map(Structures::copy).toArray())));
    }

    /**
     * Runs the original, whose state is afterwards what it was.
     *
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> runOriginal(ScriptModule module, String method, List<?> inputs) {
        return runOriginal(module, method, inputs, List.of());
    }

    /** The same with the roundings of forms in which NNAPI computes some of its functions. */
    public static List<Tensor> runOriginal(
            ScriptModule module, String method, List<?> inputs, Collection<ByteForm> forms) {
        try (ModuleRewind rewind = module.rewind(method)) {
            return call(module, method, inputs, forms).results();
        }
    }

    /**
     * What a call leaves.
     *
     * @param results the tensors of its result
     * @param arguments those of its arguments, afterwards
     */
    public record Outcome(List<Tensor> results, List<Tensor> arguments) {}

    /**
     * What several calls leave, one after the other.
     *
     * @param inputs of each call
     * @param state tensors that the module keeps afterwards, by where it keeps them; none where it keeps nothing new
     * @param special a call with numbers that are none, and others at the ends of float32; null if there is none
     */
    public record Calls(List<List<?>> inputs, List<Outcome> outcomes, Map<String, Tensor> state, Special special) {
        /** Whether a call finds what those before it left. */
        public boolean isStateful() {
            return !state.isEmpty();
        }
    }

    /** A call with {@link VariedInputs#special special inputs} and what it leaves. */
    public record Special(List<?> inputs, Outcome outcome) {}

    /**
     * Calls a module.
     *
     * @param inputs not changed
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static Outcome call(ScriptModule module, String method, List<?> inputs) {
        return call(module, method, inputs, List.of());
    }

    private static Outcome call(ScriptModule module, String method, List<?> inputs, Collection<ByteForm> forms) {
        List<Object> own = inputs.stream().map(Structures::copy).collect(Collectors.toList());
        Object result = forms.isEmpty()
                ? module.call(method, own.toArray())
                : interpret(module, method, own, new ByteFormResults(forms));
        return new Outcome(
                apart(Structures.tensors(Collections.singletonList(result))), apart(Structures.tensors(own)));
    }

    /**
     * Calls the original several times, with other inputs each; where it keeps something between calls, as often as
     * that needs to come out. Its state is afterwards what it was.
     *
     * @param least how often it is called that keeps nothing
     * @param bound by which results will be compared
     * @param forms whose roundings the calls have
     * @throws RuntimeException if it cannot run on the inputs; on the others that are made of them it may fail
     */
    public static Calls callOriginal(
            ScriptModule module, String method, List<?> inputs, int least, Bound bound, Collection<ByteForm> forms) {
        try (ModuleRewind rewind = module.rewind(method)) {
            List<List<?>> given = new ArrayList<>(List.of(inputs));
            long start = System.nanoTime();
            List<Outcome> outcomes = new ArrayList<>(List.of(call(module, method, inputs, forms)));
            long took = System.nanoTime() - start;
            boolean stateful = rewind.isChanged();
            int count = stateful ? Math.max(STATEFUL_CALLS, 2 * rewind.changes()) : least;
            for (int i = 1; i < count; i++) {
                List<?> others = VariedInputs.of(inputs, i, bound != Bound.QUANTIZED);
                try {
                    outcomes.add(call(module, method, others, forms));
                    given.add(others);
                } catch (RuntimeException unsuited) {
                    if (stateful) {
                        // Nobody knows what it left.
                        return new Calls(given, outcomes, Map.of("", Tensor.zeros(DType.BOOL)), null);
                    }
                }
            }
            return new Calls(
                    given,
                    outcomes,
                    stateful ? state(module) : Map.of(),
                    stateful || least == 1 || bound != Bound.REAL ? null : special(module, method, inputs, took));
        }
    }

    /** Null where the original does not take such numbers, or turns in a loop that ends for others alone. */
    private static Special special(ScriptModule module, String method, List<?> inputs, long usual) {
        List<?> given = VariedInputs.special(inputs);
        try (TimeLimit limit =
                new TimeLimit(Duration.ofNanos(usual * SPECIAL_TURNS).plus(SPECIAL_LEAST))) {
            return given == null ? null : new Special(given, call(module, method, given));
        } catch (RuntimeException unsuited) {
            return null;
        }
    }

    /** Copies of tensors that a module keeps and that are no parameters, by where it keeps them. */
    private static Map<String, Tensor> state(ScriptModule module) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        collect("", module.object(), place -> true, found);
        return found;
    }

    /** Copies of tensors that a module keeps in some places, if it has them. */
    public static Map<String, Tensor> state(ScriptModule module, Set<String> places) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        if (!places.isEmpty()) {
            collect("", module.object(), places::contains, found);
        }
        return found;
    }

    private static void collect(String path, Object value, Predicate<String> wanted, Map<String, Tensor> found) {
        if (value instanceof Tensor tensor) {
            if (wanted.test(path)) {
                found.put(path, (Tensor) Structures.copy(tensor));
            }
        } else if (value instanceof ScriptList list) {
            for (int i = 0; i < list.size(); i++) {
                collect(path + "[" + i + "]", list.items().get(i), wanted, found);
            }
        } else if (value instanceof ScriptObject object) {
            List<ClassType.Attribute> attributes = object.type().attributes();
            for (int i = 0; i < attributes.size(); i++) {
                boolean untouched = object.slot(i) instanceof Tensor tensor
                        && tensor.storage().writes() == 0;
                if (!attributes.get(i).isParameter() || !untouched) {
                    String prefix = path.isEmpty() ? "" : path + ".";
                    collect(prefix + attributes.get(i).name(), object.slot(i), wanted, found);
                }
            }
        }
    }

    /** Compares what two calls left. */
    public static Result compare(Outcome expected, Outcome actual, Bound bound) {
        Result results = compare(expected.results(), actual.results(), bound);
        Result arguments = compare(expected.arguments(), actual.arguments(), bound);
        return results.agrees() && !arguments.agrees()
                ? new Result(false, "of the arguments, " + arguments.text())
                : results;
    }

    /** Compares what two modules keep in the same places. */
    public static Result compare(Map<String, Tensor> expected, Map<String, Tensor> actual, Bound bound) {
        for (Map.Entry<String, Tensor> kept : expected.entrySet()) {
            Tensor own = actual.get(kept.getKey());
            Result result = own == null ? new Result(true, "") : compare(List.of(kept.getValue()), List.of(own), bound);
            if (!result.agrees()) {
                return new Result(false, "attribute " + kept.getKey() + ": " + result.text());
            }
        }
        return new Result(true, "");
    }

    /**
     * Runs a module operator by operator, with the rounding of each by itself; programs round otherwise.
     *
     * @param hook called in place of every operator, or null
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> interpreted(ScriptModule module, String method, List<?> inputs, OperatorHook hook) {
        List<?> own = inputs.stream().map(Structures::copy).collect(Collectors.toList());
        return Structures.tensors(Collections.singletonList(interpret(module, method, own, hook)));
    }

    private static Object interpret(ScriptModule module, String method, List<?> inputs, OperatorHook hook) {
        Function function = module.method(method);
        List<Object> arguments = new ArrayList<>();
        arguments.add(module.object());
        arguments.addAll(inputs);
        return module.interpreter().run(function, Interpreter.fit(function, arguments, Map.of()), hook);
    }

    /** Copies, as results may be what the module holds. */
    public static List<Tensor> apart(List<Tensor> results) {
        return results.stream().map(result -> (Tensor) Structures.copy(result)).collect(Streams.toList());
    }

    /**
     * Runs the original with what its operators mean where PyTorch computes something else, and this library with it:
     * limits of quantized tensors whose memory is not row-major keep each element at its place, and inputs of
     * dynamically quantized layers are not quantized.
     *
     * @param forms whose roundings the run has
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> runAsMeant(
            ScriptModule module, String method, List<?> inputs, Collection<ByteForm> forms) {
        try (ModuleRewind rewind = module.rewind(method)) {
            OperatorHook rounded = new ByteFormResults(forms);
            OperatorHook rowMajor = new RowMajorBytes();
            OperatorHook unquantized = new UnquantizedInputs();
            return apart(interpreted(
                    module,
                    method,
                    inputs,
                    (node, kernel, arguments) -> rowMajor.call(
                            node,
                            given -> rounded.call(node, own -> unquantized.call(node, kernel, own), given),
                            arguments)));
        }
    }

    /**
     * How the original's own results differ where its inputs and weights change by their last bits, because it makes
     * rounding larger, or orders or chooses among values that nearly tie.
     *
     * @param inputs of calls one after the other, of which the last one is looked at
     * @param actual what was returned in the place of the original's results
     * @param kept the same of what it keeps, of which these places are looked at too
     * @return null where they differ by less than {@code actual} does, or nothing has real numbers
     */
    public static String unsteady(
            ScriptModule module,
            String method,
            List<? extends List<?>> inputs,
            List<Tensor> actual,
            Map<String, Tensor> kept,
            Bound bound) {
        List<Tensor> given = new ArrayList<>(actual);
        given.addAll(kept.values());
        List<Tensor> expected = last(module, method, inputs, kept, null, 0);
        double found = distance(expected, given);
        for (int i = 0; i < NUDGES.length; i++) {
            List<Tensor> own = last(module, method, inputs, kept, new Random(i), NUDGES[i]);
            Result result = compare(expected, own, bound);
            if (!result.agrees() && distance(expected, own) >= found) {
                return result.text();
            }
        }
        return null;
    }

    /** What the last of several calls returns and leaves, whose inputs and weights change by so many last bits. */
    private static List<Tensor> last(
            ScriptModule module,
            String method,
            List<? extends List<?>> inputs,
            Map<String, Tensor> kept,
            Random random,
            int bits) {
        try (ModuleRewind rewind = module.rewind(method)) {
            if (bits > 0) {
                nudge(module.object(), random, bits);
            }
            List<Tensor> results = List.of();
            for (List<?> each : inputs) {
                List<Object> given = new ArrayList<>();
                each.forEach(input -> given.add(bits == 0 ? input : nudged(input, random, bits)));
                results = apart(run(module, method, given));
            }
            Map<String, Tensor> state = state(module, kept.keySet());
            List<Tensor> all = new ArrayList<>(results);
            kept.keySet().forEach(place -> all.add(state.get(place)));
            return all;
        }
    }

    /** Puts copies into the places of a module's tensors, those of the modules in it too. */
    private static void nudge(ScriptObject object, Random random, int bits) {
        for (int i = 0; i < object.type().attributes().size(); i++) {
            if (object.slot(i) instanceof ScriptObject inner) {
                nudge(inner, random, bits);
            } else if (object.slot(i) instanceof Tensor tensor && tensor.dtype() == DType.FLOAT32) {
                object.slot(i, nudged(tensor, random, bits));
            }
        }
    }

    /** The largest difference, as a fraction of the largest value; infinite where shapes differ. */
    private static double distance(List<Tensor> expected, List<Tensor> actual) {
        double worst = expected.size() == actual.size() ? 0 : Double.POSITIVE_INFINITY;
        for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
            if (!Arrays.equals(expected.get(i).sizes(), actual.get(i).sizes())) {
                return Double.POSITIVE_INFINITY;
            }
            double[] want = TensorQuantizer.real(expected.get(i));
            double[] got = TensorQuantizer.real(actual.get(i));
            double largest = Math.max(largest(want), SMALLEST);
            for (int k = 0; k < want.length; k++) {
                double difference = difference(want[k], got[k]);
                worst = Math.max(worst, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference / largest);
            }
        }
        return worst;
    }

    /** A copy whose real numbers are each at most so many last bits of their type larger or smaller. */
    private static Object nudged(Object value, Random random, int bits) {
        Object copy = Structures.copy(value);
        for (Tensor tensor : Structures.tensors(Collections.singletonList(copy))) {
            if (tensor.dtype().isFloating()) {
                float[] elements = tensor.toFloatArray();
                double step = step(tensor.dtype());
                for (int i = 0; i < elements.length; i++) {
                    if (!Float.isFinite(elements[i])) {
                        continue;
                    }
                    double last = step == 0 ? Math.ulp(elements[i]) : Math.abs(elements[i]) * step;
                    elements[i] += (float) ((random.nextInt(2 * bits + 1) - bits) * last);
                }
                tensor.copyFrom(Elements.cast(Tensor.of(elements, tensor.sizes()), tensor.dtype()));
            }
        }
        return copy;
    }

    /** From 1 to the next number of a type that is shorter than float32; 0 for others. */
    private static double step(DType dtype) {
        return dtype == DType.FLOAT16 ? 0x1p-10 : dtype == DType.BFLOAT16 ? 0x1p-7 : 0;
    }

    /** Compares two runs' results. */
    public static Result compare(List<Tensor> expected, List<Tensor> actual, Bound bound) {
        if (expected.size() != actual.size()) {
            return new Result(false, actual.size() + " results (expected: " + expected.size() + ")");
        }
        double worst = 0;
        double worstFraction = 0;
        double quanta = 0;
        int classified = 0;
        int sameClass = 0;
        for (int i = 0; i < expected.size(); i++) {
            Tensor want = expected.get(i);
            Tensor got = actual.get(i);
            if (!Arrays.equals(want.sizes(), got.sizes())) {
                return new Result(
                        false,
                        "output " + i + " has shape " + Arrays.toString(got.sizes()) + " (expected: "
                                + Arrays.toString(want.sizes()) + ")");
            }
            double[] a = TensorQuantizer.real(want);
            double[] b = TensorQuantizer.real(got);
            double quantum = want.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
            Result wrong = bound == Bound.QUANTIZED
                    ? squares(i, a, b, quantum)
                    : elements(
                            i,
                            a,
                            b,
                            Math.max(fraction(bound), 2 * step(want.dtype())),
                            bound == Bound.OPERATION ? quantum : 0);
            if (wrong != null) {
                return wrong;
            }
            double difference = 0;
            for (int k = 0; k < a.length; k++) {
                difference = Math.max(difference, difference(a[k], b[k]));
            }
            worst = Math.max(worst, difference);
            quanta = quantum > 0 ? Math.max(quanta, difference / quantum) : quanta;
            worstFraction = Math.max(worstFraction, difference / Math.max(largest(a), SMALLEST));
            if (want.rank() == MATRIX && want.size(1) > 1) {
                classified += want.size(0);
                sameClass += sameClasses(a, b, want.size(1));
            }
        }
        String top = classified == 0 ? "" : ", the same largest column in " + sameClass + " of " + classified + " rows";
        String steps = quanta == 0 ? "" : String.format(Locale.ROOT, ", %.0f quanta", quanta);
        return new Result(
                true,
                String.format(
                        Locale.ROOT,
                        "largest difference %.2g, %.2g of the largest value%s%s",
                        worst,
                        worstFraction,
                        steps,
                        top));
    }

    private static double fraction(Bound bound) {
        return bound == Bound.RELAXED
                ? RELAXED_FRACTION
                : bound == Bound.OPERATION ? OPERATION_FRACTION : REAL_FRACTION;
    }

    /** @param quantum how much a few elements may be off, as ties of rounding are; 0 for none */
    private static Result elements(int output, double[] want, double[] got, double fraction, double quantum) {
        double allowed = fraction * Math.max(largest(want), SMALLEST);
        int ties = quantum == 0 ? 0 : Math.max(1, want.length / ELEMENTS_PER_TIE);
        for (int k = 0; k < want.length; k++) {
            double difference = difference(want[k], got[k]);
            if (!(difference <= allowed) && !(difference <= quantum + allowed && --ties >= 0)) {
                return new Result(
                        false,
                        "output " + output + " element " + k + " is " + got[k] + " (expected: " + want[k] + " within "
                                + allowed + ", " + String.format(Locale.ROOT, "%.2g", fraction)
                                + " of the largest value)");
            }
        }
        return null;
    }

    private static double largest(double[] values) {
        double largest = 0;
        for (double value : values) {
            double size = Math.abs(value);
            largest = size > largest && size <= Double.MAX_VALUE ? size : largest;
        }
        return largest;
    }

    private static Result squares(int output, double[] want, double[] got, double quantum) {
        double differences = 0;
        double results = 0;
        for (int k = 0; k < want.length; k++) {
            double difference = difference(want[k], got[k]);
            differences += difference * difference;
            results += want[k] * want[k];
        }
        double rms = Math.sqrt(differences / Math.max(1, want.length));
        double allowed = Math.max(
                QUANTIZED_FRACTION * Math.sqrt(results / Math.max(1, want.length)), Math.max(quantum, SMALLEST));
        return rms <= allowed
                ? null
                : new Result(
                        false,
                        "output " + output + " differs by " + rms + " on average (expected: at most " + allowed + ")");
    }

    private static int sameClasses(double[] want, double[] got, int columns) {
        int same = 0;
        for (int row = 0; row < want.length; row += columns) {
            same += largestColumn(want, row, columns) == largestColumn(got, row, columns) ? 1 : 0;
        }
        return same;
    }

    private static int largestColumn(double[] values, int row, int columns) {
        int at = 0;
        for (int c = 1; c < columns; c++) {
            at = values[row + c] > values[row + at] ? c : at;
        }
        return at;
    }

    private static double difference(double want, double got) {
        return want == got || Double.isNaN(want) && Double.isNaN(got) ? 0 : Math.abs(want - got);
    }
}
