package org.torchnnapi.operators.shape;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class SizeExpressionInferenceTest {
    private static final long[][] SAMPLES = {
        {96, 160},
        {97, 163},
        {98, 165},
        {99, 167},
        {100, 176},
        {101, 162},
        {102, 164},
        {103, 166},
        {107, 171},
        {112, 161}
    };
    private static final long[][] OTHERS = {{7, 9}, {33, 1}, {224, 225}, {1001, 640}, {64, 1023}};

    private static long[] values(ToLongFunction<long[]> number) {
        return Arrays.stream(SAMPLES).mapToLong(number).toArray();
    }

    /** Requires that a number is found, and is right for sizes that were not among the samples. */
    private static Formula found(SizeExpressionInference fit, ToLongFunction<long[]> number) {
        Formula formula = fit.of(values(number), List.of());
        assertNotNull(formula);
        for (long[] other : OTHERS) {
            assertEquals(
                    number.applyAsLong(other), formula.of(other), () -> formula + " for " + Arrays.toString(other));
        }
        return formula;
    }

    @Test
    void findsNumbersThatFollowFromOneAnother() {
        SizeExpressionInference fit = new SizeExpressionInference(SAMPLES);
        assertEquals(new Formula.Number(7), found(fit, s -> 7));
        assertEquals(new Formula.OpenSize(1), found(fit, s -> s[1]));
        found(fit, s -> 3 * s[0] - 5);
        found(fit, s -> (s[0] + 1) / 2);
        found(fit, s -> (s[1] - 1) / 2);
        found(fit, s -> ((s[0] + 1) / 2 + 1) / 2);
        found(fit, s -> s[0] * s[1]);
        found(fit, s -> (s[0] + 1) / 2 * ((s[1] - 1) / 2) * 4 + 1);
        found(fit, s -> s[0] + s[1] + 2);
        found(fit, s -> s[0] - (s[0] + 1) / 2 * 2);
        found(fit, s -> 8 - Math.floorMod(s[0] - 1, 8) - 1);
        found(fit, s -> 3 * s[1] / 2);
    }

    @Test
    void leavesOpenWhatTheSamplesDoNotTell() {
        // Two neighbours and one far away: many windows give these.
        long[][] few = {{96}, {97}, {300}};
        assertNull(new SizeExpressionInference(few).of(new long[] {1, 1, 4}, List.of()));
        assertNull(new SizeExpressionInference(SAMPLES).of(values(s -> (s[0] + 31) / 64), List.of()));
        assertNull(new SizeExpressionInference(SAMPLES).of(new long[] {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, List.of()));
    }

    @Test
    void takesAGuessThatFits() {
        Formula guess = new Formula.Quotient(new Formula.Sum(new Formula.OpenSize(0), new Formula.Number(31)), 64);
        SizeExpressionInference fit = new SizeExpressionInference(SAMPLES);
        assertEquals(guess, fit.of(values(s -> (s[0] + 31) / 64), List.of(new Formula.Number(1), guess)));
    }

    @Test
    void takesSizesOfAStepAlone() {
        long[][] samples =
                Arrays.stream(SAMPLES).map(s -> new long[] {4 * s[0], 4 * s[1]}).toArray(long[][]::new);
        Formula quarter = new SizeExpressionInference(samples)
                .of(Arrays.stream(samples).mapToLong(s -> s[0] / 4).toArray(), List.of());
        assertEquals(new Formula.Quotient(new Formula.OpenSize(0), 4), quarter);
        Formula more = new SizeExpressionInference(samples)
                .of(Arrays.stream(samples).mapToLong(s -> 3 * s[1] / 2 + 1).toArray(), List.of());
        assertEquals(31, more.of(0, 20));
    }

    @Test
    void findsRealNumbers() {
        SizeExpressionInference fit = new SizeExpressionInference(SAMPLES);
        found(fit, s -> (s[0] + 1) / 2);
        for (boolean single : new boolean[] {true, false}) {
            real(fit, s -> 1.0 / s[0], single);
            real(fit, s -> 0.25 * s[1], single);
            real(fit, s -> 2.0 / (s[0] * s[1]), single);
            real(fit, s -> 1.0 / ((s[0] + 1) / 2), single);
            real(fit, s -> 8 * (s[0] / 8) - 4.5, single);
            real(fit, s -> (s[1] - 1) / 4.0, single);
        }
        assertNull(fit.real(
                Arrays.stream(SAMPLES).mapToDouble(s -> Math.sqrt(s[0])).toArray(), false));
    }

    private static void real(SizeExpressionInference fit, ToDoubleFunction<long[]> number, boolean single) {
        RealFormula formula = fit.real(
                Arrays.stream(SAMPLES)
                        .mapToDouble(number)
                        .map(value -> single ? (float) value : value)
                        .toArray(),
                single);
        assertNotNull(formula);
        for (long[] other : OTHERS) {
            assertEquals(
                    number.applyAsDouble(other),
                    formula.of(other),
                    1e-12 * Math.abs(number.applyAsDouble(other)),
                    () -> formula.toString());
        }
    }
}
