package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Functions of complex numbers. Expected values are genuine PyTorch's. */
class ComplexFunctionsTest {
    private static final Tensor Z = tensor("complex", vector(1, -0.5, -3, 0.3), vector(2, 0.25, -1, -2));

    @Test
    void functions() {
        expect(
                tensor("view_as_real", tensor("exp", Z)),
                sizes(4, 2),
                -1.13120437,
                2.47172666,
                0.587675095,
                0.150058091,
                0.0269000679,
                -0.0418943726,
                -0.561739445,
                -1.22742307);
        expect(
                tensor("view_as_real", tensor("log", Z)),
                sizes(4, 2),
                0.804718971,
                1.10714877,
                -0.581575394,
                2.67794514,
                1.15129256,
                -2.8198421,
                0.704272509,
                -1.42190635);
        expect(
                tensor("view_as_real", tensor("log2", Z)),
                sizes(4, 2),
                1.16096401,
                1.597278,
                -0.839035928,
                3.86345816,
                1.66096401,
                -4.06817198,
                1.01605046,
                -2.0513773);
        expect(
                tensor("view_as_real", tensor("log10", Z)),
                sizes(4, 2),
                0.34948501,
                0.480828583,
                -0.25257498,
                1.1630168,
                0.5,
                -1.2246418,
                0.305861652,
                -0.617526054);
        expect(
                tensor("view_as_real", tensor("sqrt", Z)),
                sizes(4, 2),
                1.27201962,
                0.786151409,
                0.171780378,
                0.727673352,
                0.284848779,
                -1.75531733,
                1.07758403,
                -0.928001881);
        expect(
                tensor("view_as_real", tensor("rsqrt", Z)),
                sizes(4, 2),
                0.568864465,
                -0.35157758,
                0.307290077,
                -1.30170166,
                0.0900770947,
                0.555080056,
                0.532831013,
                0.458867401);
        expect(
                tensor("view_as_real", tensor("reciprocal", Z)),
                sizes(4, 2),
                0.200000003,
                -0.400000006,
                -1.60000002,
                -0.800000012,
                -0.300000012,
                0.100000001,
                0.0733496323,
                0.488997549);
        expect(
                tensor("view_as_real", tensor("sin", Z)),
                sizes(4, 2),
                3.16577864,
                1.95960093,
                -0.494485795,
                0.221688166,
                -0.217759535,
                1.16344035,
                1.11180496,
                -3.46487212);
        expect(
                tensor("view_as_real", tensor("cos", Z)),
                sizes(4, 2),
                2.03272295,
                -3.05189776,
                0.905150115,
                0.1211088,
                -1.5276382,
                -0.165844396,
                3.59416294,
                1.0718106);
        expect(
                tensor("view_as_real", tensor("tan", Z)),
                sizes(4, 2),
                0.0338128246,
                1.01479363,
                -0.504500747,
                0.312420726,
                0.0591685399,
                -0.76801759,
                0.0200700611,
                -0.970012665);
        expect(
                tensor("view_as_real", tensor("asin", Z)),
                sizes(4, 2),
                0.427078485,
                1.52857018,
                -0.501608849,
                0.281396091,
                -1.23309517,
                -1.8241986,
                0.133602157,
                -1.45164895);
        expect(
                tensor("view_as_real", tensor("acos", Z)),
                sizes(4, 2),
                1.14371777,
                -1.52857101,
                2.0724051,
                -0.281396061,
                2.80389142,
                1.8241986,
                1.43719411,
                1.45164895);
        expect(
                tensor("view_as_real", tensor("atan", Z)),
                sizes(4, 2),
                1.33897257,
                0.402359486,
                -0.484254509,
                0.200586632,
                -1.27679503,
                -0.0919311866,
                1.47490227,
                -0.530249298);
        expect(
                tensor("view_as_real", tensor("sinh", Z)),
                sizes(4, 2),
                -0.489056259,
                1.40311921,
                -0.504895687,
                0.278979123,
                -5.41268063,
                -8.47164536,
                -0.126725167,
                -0.950523615);
        expect(
                tensor("view_as_real", tensor("cosh", Z)),
                sizes(4, 2),
                -0.642148137,
                1.06860733,
                1.09257078,
                -0.128921032,
                5.43958092,
                8.42975044,
                -0.435014337,
                -0.276899517);
        expect(
                tensor("view_as_real", tensor("tanh", Z)),
                sizes(4, 2),
                1.16673625,
                -0.243458211,
                -0.485487252,
                0.198055461,
                -1.00205517,
                -0.00451713754,
                1.19711876,
                1.42303824);
        expect(
                tensor("view_as_real", tensor("asinh", Z)),
                sizes(4, 2),
                1.46935165,
                1.06343997,
                -0.492675662,
                0.224328458,
                -1.86416161,
                -0.307603627,
                1.33382285,
                -1.40009582);
        expect(
                tensor("view_as_real", tensor("acosh", Z)),
                sizes(4, 2),
                1.52857101,
                1.14371777,
                0.281396061,
                2.0724051,
                1.8241986,
                -2.80389142,
                1.45164895,
                -1.43719411);
        expect(
                tensor("view_as_real", tensor("atanh", Z)),
                sizes(4, 2),
                0.173286796,
                1.17809725,
                -0.500370026,
                0.31439817,
                -0.305943847,
                -1.4614619,
                0.0592143945,
                -1.11427128);
        expect(
                tensor("view_as_real", tensor("sigmoid", Z)),
                sizes(4, 2),
                1.02141547,
                0.403438747,
                0.375724852,
                0.059002962,
                0.0278135091,
                -0.0396622308,
                0.741993308,
                -0.722591758);
        expect(
                tensor("view_as_real", tensor("square", Z)),
                sizes(4, 2),
                -3.0,
                4.0,
                0.1875,
                -0.25,
                8.0,
                6.0,
                -3.91000009,
                -1.20000005);
        expect(
                tensor("view_as_real", tensor("sgn", Z)),
                sizes(4, 2),
                0.44721359,
                0.89442718,
                -0.89442718,
                0.44721359,
                -0.948683381,
                -0.316227764,
                0.148340449,
                -0.988936305);
        expect(
                tensor("view_as_real", tensor("silu", Z)),
                sizes(4, 2),
                0.214537963,
                2.44626951,
                -0.20261316,
                0.0644297302,
                -0.123102754,
                0.0911731794,
                -1.22258556,
                -1.70076418);
        expect(tensor("abs", Z), sizes(4), 2.23606801, 0.559017003, 3.1622777, 2.02237487);
    }

    @Test
    void functionsOfRealsRefuse() {
        assertThrows(IllegalArgumentException.class, () -> tensor("erf", Z));
        assertThrows(IllegalArgumentException.class, () -> tensor("relu", Z));
    }

    @Test
    void sumsAndProducts() {
        Tensor back = tensor("flip", Z, ints(0));
        expect(
                tensor("view_as_real", tensor("cumsum", Z, 0L)),
                sizes(4, 2),
                1.0,
                2.0,
                0.5,
                2.25,
                -2.5,
                1.25,
                -2.20000005,
                -0.75);
        expect(
                tensor("view_as_real", tensor("cumprod", Z, 0L)),
                sizes(4, 2),
                1.0,
                2.0,
                -1.0,
                -0.75,
                2.25,
                3.25,
                7.17500019,
                -3.52499986);
        expect(tensor("view_as_real", tensor("prod", Z)), sizes(2), 7.17500019, -3.5250001);
        expect(
                tensor("view_as_real", tensor("lerp.Scalar", Z, back, 0.25)),
                sizes(4, 2),
                0.824999988,
                1.0,
                -1.125,
                -0.0625,
                -2.375,
                -0.6875,
                0.475000024,
                -1.0);
        expect(
                tensor("view_as_real", tensor("addcmul", Z, Z, Z, 2L)),
                sizes(4, 2),
                -5.0,
                10.0,
                -0.125,
                -0.25,
                13.0,
                11.0,
                -7.51999998,
                -4.4000001);
        expect(
                tensor("view_as_real", tensor("addcdiv", Z, Z, back, 2L)),
                sizes(4, 2),
                -0.809290886,
                3.27139354,
                -0.25,
                0.0,
                5.0,
                7.0,
                -1.18000007,
                -3.03999996);
        Tensor zeros = tensor("complex", vector(0, 0), vector(0, 0));
        expect(
                tensor("view_as_real", tensor("scatter_add", zeros, 0L, longs(0, 0, 1, 1), Z)),
                sizes(2, 2),
                0.5,
                2.25,
                -2.70000005,
                -3.0);
    }

    @Test
    void bothPartsAreTested() {
        Tensor z = tensor("complex", vector(Double.NaN, 0, 0), vector(0, Double.POSITIVE_INFINITY, 1));
        expect(tensor("isnan", z), sizes(3), 1, 0, 0);
        expect(tensor("isinf", z), sizes(3), 0, 1, 0);
        expect(tensor("isfinite", z), sizes(3), 0, 0, 1);
    }
}
