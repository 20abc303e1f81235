package org.torchnnapi.converter.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Function;

/** Runs the original and the converted module on the same inputs and compares what they return. */
public final class SelfCheck {
    /** Allowed difference of real results, as a fraction of the largest expected magnitude: rounding of float32 through a deep network. */
    private static final double REAL_FRACTION = 2e-4;
    /** The same of a single operation. */
    private static final double OPERATION_FRACTION = 2e-5;
    /** Of so many quantized elements one may be a tie of rounding, as PyTorch multiplies by reciprocals of scales where NNAPI divides. */
    private static final int ELEMENTS_PER_TIE = 10_000;
    /** Results below this are noise. */
    private static final double SMALLEST = 1e-3;
    /** The same where NNAPI may compute in float16. */
    private static final double RELAXED_FRACTION = 3e-2;
    /**
     * Quantized models round after every layer, each device in its own way; the root mean square of the differences may be
     * this fraction of that of the results, or one quantum.
     */
    private static final double QUANTIZED_FRACTION = 0.05;
    private static final int MATRIX = 2;
    /**
     * By how many last bits inputs are changed at most to see whether results are steady: from what an input's own rounding is to what a hundred layers
     * make of rounding, some 4e-6 of a value, which is a fifth of what an operation by itself may differ by.
     */
    private static final int[] NUDGES = {2, 2, 8, 32};

    /**
     * The outcome.
     *
     * @param agrees whether the results agree
     * @param text   the largest difference, or what differs
     */
    public record Result(boolean agrees, String text) {
    }

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

    private SelfCheck() {
    }

    /**
     * Runs a module.
     *
     * @return the tensors of its result, those of lists, tuples and dicts in their order
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> run(ScriptModule module, String method, List<?> inputs) {
        return Structures.tensors(Collections.singletonList(module.call(method, inputs.stream().map(Structures::copy).toArray())));
    }

    /**
     * Runs the original, whose state is afterwards what it was.
     *
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> runOriginal(ScriptModule module, String method, List<?> inputs) {
        try (ModuleRewind rewind = new ModuleRewind(module.object())) {
            return apart(run(module, method, inputs));
        }
    }

    /**
     * The same, and what a second call returns, where the first changes what the module keeps.
     *
     * @return the tensors of one call or two
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<List<Tensor>> runOriginalTwice(ScriptModule module, String method, List<?> inputs) {
        try (ModuleRewind rewind = new ModuleRewind(module.object())) {
            List<Tensor> first = apart(run(module, method, inputs));
            return rewind.isChanged() ? List.of(first, apart(run(module, method, inputs))) : List.of(first);
        }
    }

    /**
     * Runs a module operator by operator, with the rounding of each by itself; programs round otherwise.
     *
     * @param hook called in place of every operator, or null
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> interpreted(ScriptModule module, String method, List<?> inputs, OperatorHook hook) {
        Function function = module.method(method);
        List<Object> arguments = new ArrayList<>();
        arguments.add(module.object());
        inputs.forEach(input -> arguments.add(Structures.copy(input)));
        Object[] fitted = Interpreter.fit(function, arguments, Map.of());
        return Structures.tensors(Collections.singletonList(module.interpreter().run(function, fitted, hook)));
    }

    /** Copies, as results may be what the module holds. */
    public static List<Tensor> apart(List<Tensor> results) {
        return results.stream().map(result -> (Tensor) Structures.copy(result)).collect(Streams.toList());
    }

    /**
     * Runs the original with what its operators mean where PyTorch computes something else, and this library with it: limits of quantized tensors
     * whose memory is not row-major keep each element at its place.
     *
     * @return as {@link #run}
     * @throws RuntimeException if it cannot run on the inputs
     */
    public static List<Tensor> runAsMeant(ScriptModule module, String method, List<?> inputs) {
        try (ModuleRewind rewind = new ModuleRewind(module.object())) {
            return apart(interpreted(module, method, inputs, new RowMajorBytes()));
        }
    }

    /**
     * How the original's own results differ where its inputs change by their last bits, because it makes rounding larger, or orders or chooses
     * among values that nearly tie.
     *
     * @return null where they agree within the bound, or no input has real numbers
     */
    public static String unsteady(ScriptModule module, String method, List<?> inputs, Bound bound) {
        List<Tensor> expected = runOriginal(module, method, inputs);
        for (int i = 0; i < NUDGES.length; i++) {
            Random random = new Random(i);
            int bits = NUDGES[i];
            Result result = compare(expected, runOriginal(module, method, inputs.stream().map(input -> nudged(input, random, bits)).collect(Streams.toList())), bound);
            if (!result.agrees()) {
                return result.text();
            }
        }
        return null;
    }

    /** A copy whose real numbers are each at most so many last bits larger or smaller. */
    private static Object nudged(Object value, Random random, int bits) {
        Object copy = Structures.copy(value);
        for (Tensor tensor : Structures.tensors(Collections.singletonList(copy))) {
            if (tensor.dtype() == DType.FLOAT32) {
                float[] elements = tensor.storage().floatArray();
                for (int i = 0; i < elements.length; i++) {
                    elements[i] += (random.nextInt(2 * bits + 1) - bits) * Math.ulp(elements[i]);
                }
            }
        }
        return copy;
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
                return new Result(false, "output " + i + " has shape " + Arrays.toString(got.sizes()) + " (expected: "
                    + Arrays.toString(want.sizes()) + ")");
            }
            double[] a = TensorQuantizer.real(want);
            double[] b = TensorQuantizer.real(got);
            double quantum = want.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
            Result wrong = bound == Bound.QUANTIZED ? squares(i, a, b, quantum)
                : elements(i, a, b, fraction(bound), bound == Bound.OPERATION ? quantum : 0);
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
        return new Result(true, String.format(Locale.ROOT, "largest difference %.2g, %.2g of the largest value%s%s", worst, worstFraction, steps, top));
    }

    private static double fraction(Bound bound) {
        return bound == Bound.RELAXED ? RELAXED_FRACTION : bound == Bound.OPERATION ? OPERATION_FRACTION : REAL_FRACTION;
    }

    /** @param quantum how much a few elements may be off, as ties of rounding are; 0 for none */
    private static Result elements(int output, double[] want, double[] got, double fraction, double quantum) {
        double allowed = fraction * Math.max(largest(want), SMALLEST);
        int ties = quantum == 0 ? 0 : Math.max(1, want.length / ELEMENTS_PER_TIE);
        for (int k = 0; k < want.length; k++) {
            double difference = difference(want[k], got[k]);
            if (!(difference <= allowed) && !(difference <= quantum + allowed && --ties >= 0)) {
                return new Result(false, "output " + output + " element " + k + " is " + got[k] + " (expected: " + want[k] + " within " + allowed + ", "
                    + String.format(Locale.ROOT, "%.2g", fraction) + " of the largest value)");
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
        double allowed = Math.max(QUANTIZED_FRACTION * Math.sqrt(results / Math.max(1, want.length)), Math.max(quantum, SMALLEST));
        return rms <= allowed ? null : new Result(false, "output " + output + " differs by " + rms + " on average (expected: at most " + allowed + ")");
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
