package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;

/** Expected numbers are genuine PyTorch's, in float64. */
class SpecialMathTest {
    @Test
    void functionsAreThoseOfPyTorch() {
        expect(
                tensor("special_entr", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                Double.NEGATIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                0.32188758430308656,
                -0.0,
                -2.2907268296853878,
                -52.02669164213096);
        expect(
                tensor("special_i0e", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                0.22280243801077917,
                0.5411652192034953,
                0.8269385494150832,
                0.46575960759364043,
                0.27004644161220276,
                0.09470629521276411);
        expect(
                tensor("special_i1", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -6.205834922258364,
                -0.4019924615809222,
                0.10050083554065511,
                0.5651591039924851,
                2.5167162452886984,
                6043133.242115628);
        expect(
                tensor("special_i1e", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -0.18739997660304997,
                -0.189887793304855,
                0.08228312452194414,
                0.2079104153497085,
                0.20658464953126654,
                0.09203679687202058);
        expect(
                tensor("special_modified_bessel_k0", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                2.427069010018644,
                0.924419071227666,
                0.4210244382407082,
                0.03473950438627925,
                2.2008253973114916e-06,
                8.392861100099567e-19);
        expect(
                tensor("special_modified_bessel_k1", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                9.853844630420264,
                1.6564411200033007,
                0.6019072301972346,
                0.04015643112819419,
                2.290757464767188e-06,
                8.497131954861038e-19);
        expect(
                tensor("special_scaled_modified_bessel_k1", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                10.89018253300399,
                2.7310097082117855,
                1.636153486263258,
                0.806563480128787,
                0.3728317533697099,
                0.20000996725443346);
        expect(
                tensor("special_bessel_j0", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -0.380127740076865,
                0.8642422751666485,
                0.9900249719430405,
                0.7651976865579665,
                -0.048383776468256645,
                -0.013355805722032434);
        expect(
                tensor("special_bessel_j1", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -0.13737752737296868,
                -0.34924360217486217,
                0.09950083410706238,
                0.44005058574493355,
                0.4970941024644698,
                -0.18799488548807639);
        expect(
                tensor("special_bessel_y0", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                -1.5342386417257798,
                -0.4445187335067066,
                0.08825696421567697,
                0.3768500100184375,
                -0.22523731263737054,
                0.12593641705826097);
        expect(
                tensor("special_bessel_y1", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                -6.458951000742351,
                -1.471472392670243,
                -0.7812128213002888,
                0.32467442479622594,
                -0.05709921829059519,
                -0.005793505821549509);
        expect(
                tensor("special_spherical_bessel_j0", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -0.10022377933989138,
                0.9088516800311122,
                0.9933466537774175,
                0.8414709848078965,
                0.23938885764158263,
                -0.041721513709537555);
        expect(
                tensor("special_airy_ai", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -0.37553382330213075,
                0.5177725751515837,
                0.30370315353415506,
                0.13529241631288144,
                0.015725923380470484,
                1.0600466825248041e-23);
        expect(
                tensor("special_ndtr", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                0.0002326290790355401,
                0.22662735237686815,
                0.5792597106045011,
                0.841344746068543,
                0.9937903346742238,
                1.0);
        expect(
                tensor("special_log_ndtr", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -8.366065308344094,
                -1.4844482299196564,
                -0.5460043517108992,
                -0.17275377902344985,
                -0.006229025485860001,
                -9.740948918936769e-73);
        expect(
                tensor("special_erfcx", vector(0.1, 0.5, 1, 3, 12, 40)),
                sizes(6),
                0.8964569785548759,
                0.6156903441929258,
                0.427583576155807,
                0.17900115118138998,
                0.04685422101489376,
                0.014100335983377815);
        expect(
                tensor("special_modified_bessel_i0", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                7.3782034322254795,
                1.1456467780440012,
                1.0100250280946617,
                1.2660658777520082,
                3.289839144050123,
                6218412.420781003);
        expect(
                tensor("special_modified_bessel_i1", vector(-3.5, -0.75, 0.2, 1.0, 2.5, 18)),
                sizes(6),
                -6.205834922258364,
                -0.40199246158092217,
                0.1005008355406551,
                0.5651591039924851,
                2.5167162452886984,
                6043133.242115628);
        expect(
                tensor("special_ndtri", vector(1e-6, 0.01, 0.3, 0.5, 0.9)),
                sizes(5),
                -4.7534243093331225,
                -2.3263478824273123,
                -0.5244004784222137,
                0.0,
                1.281551429692279);
        expect(
                tensor("special_chebyshev_polynomial_t.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                -0.5,
                0.53125,
                -0.2312002128600899);
        expect(
                tensor("special_chebyshev_polynomial_u.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                -1.0,
                0.3125,
                1.7775994026184456);
        expect(
                tensor("special_chebyshev_polynomial_v.n_scalar", vector(-0.5, 0.25, 0.9), 3L),
                sizes(3),
                1.0,
                -0.125,
                -0.008000196456899176);
        expect(
                tensor("special_chebyshev_polynomial_w.n_scalar", vector(-0.5, 0.25, 0.9), 3L),
                sizes(3),
                1.0,
                -1.625,
                4.471999460220352);
        expect(
                tensor("special_shifted_chebyshev_polynomial_t.n_scalar", vector(-0.5, 0.25, 0.9), 3L),
                sizes(3),
                -26.0,
                1.0,
                -0.3520002231597682);
        expect(
                tensor("special_hermite_polynomial_h.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                1.0,
                9.0625,
                -16.382399052429182);
        expect(
                tensor("special_hermite_polynomial_he.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                1.5625,
                2.62890625,
                -1.2038998120307929);
        expect(
                tensor("special_laguerre_polynomial_l.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                3.8359375000000004,
                0.17724609374999997,
                -0.6286624976515762);
        expect(
                tensor("special_legendre_polynomial_p.n_scalar", vector(-0.5, 0.25, 0.9), 4L),
                sizes(3),
                -0.2890625,
                0.15771484375,
                0.20793735677004851);
        expect(
                tensor("special_zeta", vector(2, 3.5, 5), vector(1, 0.5, 12)),
                sizes(3),
                1.6449340668482266,
                11.620804663441898,
                1.4204585445878725e-05);
        expect(
                tensor("polygamma", 1L, vector(-0.3, 0.4, 5)),
                sizes(3),
                13.945159460941642,
                7.27535639703476,
                0.22132295575099345);
        expect(tensor("polygamma", 3L, vector(0.4, 5)), sizes(2), 236.1952450352527, 0.02142782819275508);
        expect(
                tensor("igamma", vector(0.5, 2, 10, 3), vector(0.1, 3, 4, 20)),
                sizes(4),
                0.3452791563869805,
                0.8008517265285442,
                0.008132242796933855,
                0.9999995444850495);
        expect(
                tensor("igammac", vector(0.5, 2, 10, 3), vector(0.1, 3, 4, 20)),
                sizes(4),
                0.6547208436130195,
                0.1991482734714558,
                0.9918677572030662,
                4.5551495055892125e-07);
        expect(tensor("mvlgamma", vector(2, 3.5), 3L), sizes(2), 1.5963125911388552, 3.895898482154039);
    }

    @Test
    void logarithmsOfZeroTimesZeroAreZero() {
        expect(tensor("xlogy.Scalar_Self", 0.0, vector(0, 2, Double.NaN)), sizes(3), 0, 0, Double.NaN);
        expect(tensor("xlogy.Scalar_Other", vector(0, 2), 0.0), sizes(2), 0, Double.NEGATIVE_INFINITY);
        expect(tensor("special_xlog1py", vector(0, 2), vector(-1, 1)), sizes(2), 0, 1.3862943611198906);
    }

    @Test
    void theNextNumberIsOneOfTheType() {
        expect(tensor("nextafter", vector(1, 1), vector(2, 0)), sizes(2), Math.nextUp(1f), Math.nextDown(1f));
        expect(
                tensor(
                        "nextafter",
                        Elements.cast(vector(0, 1, -1, Double.POSITIVE_INFINITY, -0.0), DType.BFLOAT16),
                        Elements.cast(vector(1, 2, 0, 0, -1), DType.BFLOAT16)),
                DType.BFLOAT16,
                sizes(5),
                0x1p-133,
                1.0078125,
                -0.99609375,
                0x1.fep127,
                -0x1p-133);
    }

    /** What is left of poles and zeros is rounding, which is float32's. */
    @Test
    void roundingIsThatOfTheType() {
        Op.expect(Op.tensor("sinc", Op.longs(3)), Op.sizes(1), -2.530538223e-09);
        Op.expect(Op.tensor("special_ndtr", Op.vector(-9)), Op.sizes(1), 0);
        Op.expect(Op.tensor("polygamma", 1L, Op.vector(-2)), Op.sizes(1), 3.228424240e+14);
        org.junit.jupiter.api.Assertions.assertEquals(
                0, Op.tensor("lgamma", Op.vector(1, 2)).getDouble(0));
    }
}
