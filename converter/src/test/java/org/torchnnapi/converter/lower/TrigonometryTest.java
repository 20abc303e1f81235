package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

class TrigonometryTest {
    private static final int COUNT = 2001;

    private static Tensor ramp(double from, double to) {
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = (float) (from + (to - from) * i / (COUNT - 1));
        }
        return Tensor.of(values, COUNT);
    }

    private static float[] converted(Tensor x, String body) {
        Conversion conversion = FreeUnderTest.convert(FreeUnderTest.module(List.of(), "Tensor", body), x);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        ScriptModule made = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        return ((Tensor) made.call("forward", x)).toFloatArray();
    }

    /** Requires a function within an error, relative to values larger than 1. */
    private static void within(double error, double from, double to, String name, DoubleUnaryOperator function) {
        Tensor x = ramp(from, to);
        float[] got = converted(x, "torch." + name + "(x)");
        for (int i = 0; i < COUNT; i++) {
            double want = function.applyAsDouble(x.toFloatArray()[i]);
            assertEquals(want, got[i], error * Math.max(1, Math.abs(want)), name + " of " + x.toFloatArray()[i]);
        }
    }

    @Test
    void anglesAreAsExactAsSaid() {
        within(5e-7, -1, 1, "asin", Math::asin);
        within(5e-7, -1, 1, "acos", Math::acos);
        within(5e-7, -4, 4, "atan", Math::atan);
        within(5e-7, -1e30, 1e30, "arctan", Math::atan);
    }

    @Test
    void largeAnglesHaveTheirSineAndCosine() {
        for (double far : new double[] {10, 1e3, 1e5, 1e6}) {
            within(5e-7, -far, far, "sin", Math::sin);
            within(5e-7, -far, far, "cos", Math::cos);
        }
    }

    @Test
    void hyperbolicFunctionsAreAsExactAsSaid() {
        within(1e-6, -5, 5, "sinh", Math::sinh);
        within(1e-6, -5, 5, "cosh", Math::cosh);
        within(1e-6, 88.5, 89.4, "sinh", Math::sinh);
        within(1e-6, -89.4, -88.5, "cosh", Math::cosh);
        within(5e-7, -50, 50, "asinh", x -> Math.signum(x) * Math.log(Math.abs(x) + Math.sqrt(x * x + 1)));
        within(5e-7, 1, 50, "acosh", x -> Math.log(x + Math.sqrt(x * x - 1)));
        within(5e-7, -0.9, 0.9, "atanh", x -> 0.5 * Math.log((1 + x) / (1 - x)));
        within(1e-6, -3, 3, "erfc", x -> 2 - erfc(-x));
    }

    private static double erfc(double x) {
        double sum = 0;
        int steps = 20_000;
        for (int i = 0; i < steps; i++) {
            double t = x * (i + 0.5) / steps;
            sum += Math.exp(-t * t) * x / steps;
        }
        return 1 - 2 / Math.sqrt(Math.PI) * sum;
    }

    @Test
    void anglesOfPointsKnowTheirQuarterAndTheSignsOfZeros() {
        float[] y = {0, -0f, 0, -0f, 1, -1, 2, -2, 0.5f, -0.5f, 1e-30f, 3};
        float[] x = {1, 1, -1, -1, 0, 0, -1, -1, 2, -2, -1e-30f, -0f};
        float[] got =
                converted(Tensor.of(y, y.length), "torch.atan2(x, " + "torch.tensor(" + Arrays.toString(x) + "))");
        for (int i = 0; i < y.length; i++) {
            assertEquals(Math.atan2(y[i], x[i]), got[i], 5e-7, y[i] + ", " + x[i]);
        }
    }

    @Test
    void whatIsNoSineHasNoAngle() {
        float[] got = converted(Tensor.of(new float[] {2, 0.5f}, 2), "torch.acos(x)");
        assertTrue(Float.isNaN(got[0]));
        assertEquals(Math.acos(0.5), got[1], 5e-7);
    }
}
