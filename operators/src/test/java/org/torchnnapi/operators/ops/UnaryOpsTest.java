package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Real functions of one number. Expected values are genuine PyTorch's. */
class UnaryOpsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor V = floats(sizes(3), 0.25, 0.5, 1.5);

    @Test
    void exponentialsAndRoots() {
        expect(tensor("exp", V), sizes(3), 1.28402543, 1.64872122, 4.48168898);
        expect(tensor("expm1", V), sizes(3), 0.284025431, 0.648721278, 3.48168898);
        expect(tensor("log", V), sizes(3), -1.38629436, -0.693147182, 0.405465096);
        expect(tensor("log2", V), sizes(3), -2, -1, 0.584962487);
        expect(tensor("log10", V), sizes(3), -0.60206002, -0.30103001, 0.176091254);
        expect(tensor("log1p", V), sizes(3), 0.223143548, 0.405465096, 0.91629076);
        expect(tensor("sqrt", V), sizes(3), 0.5, 0.707106769, 1.22474492);
        expect(tensor("rsqrt", V), sizes(3), 2, 1.41421354, 0.816496551);
        expect(tensor("reciprocal", V), sizes(3), 4, 2, 0.666666687);
        expect(tensor("exp", Tensor.of(new long[] {2, -3, 4}, 3)), sizes(3), 7.38905621, 0.0497870669, 54.5981522);
    }

    @Test
    void trigonometry() {
        expect(tensor("sin", X), sizes(2, 3), -0.598472118, -0.841470957, 0, 0.47942555, 0.997494996, 0.141120002);
        expect(tensor("cos", X), sizes(2, 3), -0.801143587, 0.540302336, 1, 0.87758255, 0.070737198, -0.989992499);
        expect(tensor("tan", X), sizes(2, 3), 0.747022331, -1.55740774, 0, 0.546302497, 14.1014204, -0.142546549);
        expect(tensor("atan", X), sizes(2, 3), -1.19028997, -0.785398126, 0, 0.463647604, 0.982793748, 1.24904573);
        expect(tensor("sinh", X), sizes(2, 3), -6.05020475, -1.17520118, 0, 0.521095276, 2.12927938, 10.0178747);
        expect(tensor("cosh", X), sizes(2, 3), 6.13228941, 1.54308057, 1, 1.12762594, 2.3524096, 10.0676622);
        expect(tensor("asinh", X), sizes(2, 3), -1.64723122, -0.881373584, 0, 0.481211841, 1.19476318, 1.81844652);
        expect(tensor("asin", floats(sizes(3), -0.5, 0, 1)), sizes(3), -0.52359879, 0, 1.57079637);
        expect(tensor("acos", floats(sizes(3), -0.5, 0, 1)), sizes(3), 2.09439516, 1.57079637, 0);
        expect(tensor("acosh", floats(sizes(2), 1, 2.5)), sizes(2), 0, 1.56679928);
        expect(tensor("atanh", floats(sizes(2), -0.5, 0.25)), sizes(2), -0.549306154, 0.255412817);
    }

    @Test
    void specialFunctions() {
        expect(tensor("erf", X), sizes(2, 3), -0.999593019, -0.842700779, 0, 0.520499885, 0.966105163, 0.999977887);
        expect(tensor("erfc", X), sizes(2, 3), 1.99959302, 1.84270084, 1, 0.479500115, 0.0338948518, 2.20904967e-05);
        expect(
                tensor("lgamma", floats(sizes(4), 0.25, 1, 4.5, -1.5)),
                sizes(4),
                1.28802252,
                0,
                2.45373654,
                0.860047042);
        expect(tensor("deg2rad", floats(sizes(2), 90, -45)), sizes(2), 1.57079637, -0.785398185);
        expect(tensor("frac", X), sizes(2, 3), -0.5, 0, 0, 0.5, 0.5, 0);
    }

    @Test
    void inversesAndFunctionsOfWholeNumbers() {
        expect(tensor("logit", floats(sizes(3), 0.25, 0.5, 1), 0.125), sizes(3), -1.09861231, 0, 1.9459101);
        expect(
                tensor("erfinv", floats(sizes(5), -0.5, 0, 0.25, 1, 2)),
                sizes(5),
                -0.476936276,
                0,
                0.225312055,
                Double.POSITIVE_INFINITY,
                Double.NaN);
        Tensor far = Tensor.of(DType.FLOAT64, new double[] {-0.99999, 0.999}, 2);
        expect(tensor("erfinv", far), sizes(2), -3.12341327, 2.32675377);
        expect(
                tensor("digamma", floats(sizes(5), -1.5, 0.25, 1, 20, -1e-40)),
                sizes(5),
                0.703156641,
                -4.22745353,
                -0.577215665,
                2.97052399,
                Double.POSITIVE_INFINITY);
        expect(tensor("i0", floats(sizes(4), 0, -1, 10, 50)), sizes(4), 1, 1.26606588, 2815.71663, 2.93255378e+20);
        expect(tensor("lgamma", floats(sizes(2), -3, 4)), sizes(2), Double.POSITIVE_INFINITY, 1.79175949);
        expect(tensor("square", Tensor.of(DType.BOOL, new byte[] {1, 0}, 2)), DType.INT64, sizes(2), 1, 0);
    }
}
