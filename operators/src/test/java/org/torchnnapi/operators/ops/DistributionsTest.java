package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.RandomGenerator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch 1.13.1's after torch.manual_seed(7). */
class DistributionsTest {
    @BeforeEach
    void seed() {
        RandomGenerator.shared().seed(7);
    }

    private static Tensor seeded(String name, Object... arguments) {
        Op.call("manual_seed", 7L);
        return tensor(name, arguments);
    }

    private static void same(Tensor actual, double... expected) {
        assertEquals(expected.length, actual.numel());
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual.getDouble(i), 2e-6 * Math.max(1, Math.abs(expected[i])), "element " + i);
        }
    }

    private static long code(DType type) {
        return type.code();
    }

    @Test
    void uniformNumbers() {
        same(seeded("rand", ints(3)), 0.5349225401878357, 0.19880318641662598, 0.6592116951942444);
        same(seeded("rand", ints(3), code(DType.FLOAT64)), 0.279380429906404, 0.27369371365176565, 0.8620929614176255);
        same(seeded("rand", ints(3), code(DType.FLOAT16)), 0.08544921875, 0.595703125, 0.26220703125);
        same(
                seeded("uniform_", vector(0, 0, 0), -2.0, 5.0),
                1.744457721710205,
                -0.6083776950836182,
                2.6144819259643555);
    }

    @Test
    void elementsAreFilledAsTheyLie() {
        Tensor last = floats(new int[] {1, 2, 2, 2}, new double[8]).copy(MemoryFormat.CHANNELS_LAST);
        same(
                seeded("rand_like", last),
                0.5349225401878357,
                0.6592116951942444,
                0.23276156187057495,
                0.20708602666854858,
                0.19880318641662598,
                0.6568902730941772,
                0.4250614047050476,
                0.6297363638877869);
    }

    @Test
    void fewNormalNumbersAreDrawnOneByOne() {
        same(
                seeded("randn", ints(5)),
                -0.1467950940132141,
                0.7861412763595581,
                0.9468216300010681,
                -1.1143440008163452,
                1.6907901763916016);
        seeded("randn", ints(3));
        same(tensor("randn", ints(3)), -1.1143440008163452, 1.6907901763916016, -0.8948279023170471);
        same(seeded("normal.Tensor_Tensor", vector(1, 2), vector(3, 4)), 0.5596147179603577, 5.144565105438232);
    }

    @Test
    void sixteenAndMoreInBlocks() {
        same(
                seeded("randn", ints(18)),
                -0.8201345205307007,
                0.39563116431236267,
                1.9263681173324585,
                -0.3300117254257202,
                0.19844505190849304,
                0.7820726633071899,
                1.0391076803207397,
                -0.7245107293128967,
                -0.8489086031913757,
                -1.2169294357299805,
                -1.8157286643981934,
                -0.3452419638633728,
                -2.0614778995513916,
                0.6741006970405579,
                -1.3233457803726196,
                -1.3597689867019653,
                -0.866701602935791,
                -0.5640066862106323);
        same(
                seeded("normal_", floats(new int[] {18}, new double[18]), 3.0, 0.5),
                2.589932680130005,
                3.1978156566619873,
                3.963184118270874,
                2.834994077682495,
                3.099222421646118,
                3.39103627204895,
                3.5195538997650146,
                2.637744665145874,
                2.5755457878112793,
                2.3915352821350098,
                2.0921356678009033,
                2.827378988265991,
                1.9692610502243042,
                3.337050437927246,
                2.338327169418335,
                2.320115566253662,
                2.5666491985321045,
                2.717996597290039);
        same(
                seeded("randn", ints(17), code(DType.FLOAT64)),
                0.06626753966449943,
                -0.29104147095938915,
                0.45801695358702993,
                1.6932749764073567,
                1.457454937932726,
                1.932214860010293,
                -1.4418139927522924,
                0.7277603478716976,
                -1.3131496578292892,
                -2.42925190670235,
                -0.15213162349367035,
                -2.6909171061771864,
                1.7421050311620636,
                -0.523961020712386,
                -0.28387899021947915,
                0.45257550210102954,
                -1.6677291342328766);
    }

    @Test
    void wholeNumbers() {
        assertArrayEquals(
                new long[] {5, 2, 1, 6, 3, 7}, seeded("randint", 10L, ints(6)).toLongArray());
        assertArrayEquals(
                new long[] {-346915937084L, -990767470090L},
                seeded("randint.low", -(1L << 40), 1L << 40, ints(2)).toLongArray());
        same(seeded("randint.low", 3L, 9L, ints(4), code(DType.FLOAT32)), 6, 7, 4, 5);
        assertArrayEquals(
                new long[] {7, 0, 3, 4, 1, 5, 2, 6}, seeded("randperm", 8L).toLongArray());
        assertArrayEquals(
                new long[] {1407639518939636932L, 5163590386780219894L, 8087222774582268115L},
                seeded("random_", Tensor.of(new long[3], 3)).toLongArray());
        assertArrayEquals(
                new long[] {175, 196, 25},
                seeded("random_", Tensor.of(DType.UINT8, new byte[3], 3)).toLongArray());
        same(seeded("random_", vector(0, 0, 0)), 8974492, 3335306, 11059538);
        assertArrayEquals(
                new long[] {327741620, 976413897, 1202242083},
                seeded("random_.from", Tensor.of(DType.INT32, new int[3], 3), 5L, null)
                        .toLongArray());
        assertThrows(IllegalArgumentException.class, () -> tensor("randint", 0L, ints(1)));
    }

    @Test
    void probabilitiesAreComparedWithDoublesUnlessTheyAreFloats() {
        same(seeded("bernoulli_.float", floats(new int[] {8}, new double[8]), 0.3), 1, 1, 0, 0, 0, 0, 1, 0);
        Tensor p = floats(new int[] {8}, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3);
        same(seeded("bernoulli", p), 0, 1, 0, 0, 1, 0, 1, 0);
        same(seeded("bernoulli", tensor("to.dtype", p, code(DType.FLOAT64))), 1, 1, 0, 0, 0, 0, 1, 0);
        assertThrows(IllegalArgumentException.class, () -> tensor("bernoulli.p", p, 1.5));
    }

    @Test
    void dropoutInTraining() {
        Tensor x = vector(1, 2, 3, 4, 5, 6, 7, 8);
        double[] dropped = {1.6666666269302368, 3.3333332538604736, 0, 0, 0, 0, 11.666666030883789, 13.333333015441895};
        same(seeded("dropout", x, 0.4, true), dropped);
        same(
                seeded("feature_dropout", floats(new int[] {2, 3, 2}, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 0.4, true),
                1.6666666269302368,
                1.6666666269302368,
                1.6666666269302368,
                1.6666666269302368,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0);
        same(
                seeded("alpha_dropout", vector(1, 2, 3, 4), 0.4, true),
                1.4703772068023682,
                2.3336598873138428,
                -0.9106420278549194,
                -0.9106420278549194);
        same(seeded("dropout", x, 1.0, true), new double[8]);
        same(seeded("dropout", x, 0.4, false), 1, 2, 3, 4, 5, 6, 7, 8);
        same(seeded("dropout_", x, 0.4, true), dropped);
        same(x, dropped);
    }

    @Test
    void categories() {
        Tensor weights = vector(0.1, 0.2, 0.3, 0.4);
        assertArrayEquals(
                new long[] {1, 3, 0}, seeded("multinomial", weights, 3L).toLongArray());
        assertArrayEquals(
                new long[] {1, 3},
                seeded("multinomial", floats(new int[] {2, 4}, 0.1, 0.2, 0.3, 0.4, 1, 0, 0, 2), 1L)
                        .toLongArray());
        assertArrayEquals(
                new long[] {1, 1, 3, 3, 3, 3},
                seeded("multinomial", weights, 6L, true).toLongArray());
        assertThrows(IllegalArgumentException.class, () -> tensor("multinomial", weights, 5L));
        assertThrows(IllegalArgumentException.class, () -> tensor("multinomial", vector(0, 0), 1L));
        assertThrows(IllegalArgumentException.class, () -> tensor("multinomial", vector(1, -1), 1L));
    }

    @Test
    void otherDistributions() {
        Tensor x = vector(0, 0, 0);
        same(seeded("exponential_", x, 2.0), 0.1638219654560089, 0.159891739487648, 0.9905877113342285);
        same(seeded("cauchy_", x), -0.83055579662323, -0.8612030744552612, 2.1618921756744385);
        same(seeded("geometric_", x, 0.2), 6, 6, 1);
        same(seeded("log_normal_", x), 2.0267019271850586, 13.095682144165039, 18.058982849121094);
    }

    @Test
    void slopesAndCountsAreDrawnAsInPyTorch() {
        Op.call("manual_seed", 3L);
        same(
                Op.tensor("rrelu", Op.vector(-1, 2, -3, -4), 0.1, 0.3, true, null),
                -0.10682164132595062,
                2,
                -0.4720441699028015,
                -1.0183320045471191);
        Op.call("manual_seed", 1L);
        same(Op.tensor("poisson", Op.tensor("to.dtype", Op.vector(1, 20, 0), 7L, false, false, null), null), 0, 16, 0);
    }

    /** Values after torch.manual_seed(0). */
    @Test
    void complexAndNarrowNumbers() {
        Op.call("manual_seed", 0L);
        Tensor normal = tensor("randn", ints(2), (long) DType.COMPLEX64.code());
        Op.expect(tensor("view_as_real", normal), Op.sizes(2, 2), 1.089648843, -0.207485572, -1.540636778, 0.401941597);
        Op.expect(
                tensor("view_as_real", tensor("rand", ints(2), (long) DType.COMPLEX64.code())),
                Op.sizes(2, 2),
                0.455627978,
                0.632306278,
                0.348893464,
                0.401717305);
        Op.call("manual_seed", 0L);
        Tensor narrow = tensor("randn", ints(16), (long) DType.BFLOAT16.code());
        Op.expect(
                tensor("slice.Tensor", narrow, 0L, 0L, 4L, 1L),
                Op.sizes(4),
                1.4609375,
                0.291015625,
                0.9609375,
                1.5703125);
        Op.call("manual_seed", 0L);
        Op.expect(
                tensor("bernoulli", tensor("full", ints(8), 0.3, (long) DType.BFLOAT16.code())),
                Op.sizes(8),
                0,
                0,
                1,
                1,
                0,
                0,
                0,
                0);
    }

    private static Tensor afterOne(String name, Object... arguments) {
        Op.call("manual_seed", 1L);
        return tensor(name, arguments);
    }

    @Test
    void gammaNumbers() {
        same(
                afterOne("_standard_gamma", vector(0, 0.3, 1, 2.5, 30, 0.7)),
                1.1754943508222875e-38,
                0.8799756169319153,
                1.4460558891296387,
                3.693007469177246,
                33.678165435791016,
                0.21243280172348022);
        Tensor wide = tensor("_standard_gamma", Elements.ofDoubles(DType.FLOAT64, new double[] {0.3, 2.5}, 2));
        same(wide, 0.1805883851107998, 4.126626446556282);
        same(tensor("rand", ints(1)), 0.939055860042572);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("_standard_gamma", Elements.ofLongs(DType.INT64, new long[] {1}, 1)));
    }

    @Test
    void proportions() {
        same(
                afterOne("_sample_dirichlet", floats(new int[] {2, 3}, 0.5, 1, 2, 3, 0.1, 5)),
                0.2031095027923584,
                0.25688526034355164,
                0.5400052070617676,
                0.4678163528442383,
                2.6989784601028077e-05,
                0.5321566462516785);
        same(tensor("rand", ints(1)), 0.011224567890167236);
    }

    @Test
    void successesAmongTrials() {
        same(
                afterOne(
                        "binomial",
                        vector(10, 100, 100, 100, 0, 5, 1000, 20, 50),
                        vector(0.3, 0.7, 0, 1, 0.5, 0.9, 0.4, 1, 0.999)),
                1,
                74,
                0,
                100,
                0,
                5,
                378,
                20,
                50);
        same(tensor("rand", ints(1)), 0.5724719762802124);
        Tensor turned = floats(new int[] {3, 2}, 50, 50, 50, 50, 50, 50).permute(1, 0);
        same(afterOne("binomial", turned, floats(new int[] {2, 3}, .4, .4, .4, .4, .4, .4)), 13, 17, 21, 20, 21, 20);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("binomial", vector(1), Elements.ofDoubles(DType.FLOAT64, new double[] {0.5}, 1)));
        assertThrows(IllegalArgumentException.class, () -> tensor("binomial", vector(Double.NaN), vector(0.5)));
    }
}
