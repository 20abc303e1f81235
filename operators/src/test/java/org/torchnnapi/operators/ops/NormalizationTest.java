package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Normalization. Expected values are genuine PyTorch's. */
class NormalizationTest {
    private static final Tensor N = floats(
            sizes(2, 4, 3),
            -0.125,
            -0.625,
            0.25,
            -2.125,
            0.25,
            0.625,
            -1.25,
            0.625,
            0.625,
            -0.375,
            -1.125,
            0.25,
            0,
            -1.5,
            0.625,
            -2.125,
            1.25,
            0.25,
            -0.5,
            -0.25,
            -0.625,
            -0.25,
            -1.375,
            0.125);
    private static final Tensor W = floats(sizes(4), 1, 0.5, 2, -1);
    private static final Tensor B = floats(sizes(4), 0, 1, -1, 0.5);
    private static final Tensor M = floats(sizes(4), 0.100000001, -0.200000003, 0.300000012, 0);
    private static final Tensor V = floats(sizes(4), 1, 2, 0.5, 4);

    @Test
    void byStatistics() {
        expect(
                tensor("batch_norm", N, W, B, M, V, false, 0.1, 1e-05, false),
                sizes(2, 4, 3),
                -0.224998876,
                -0.724996388,
                0.149999246,
                0.319411486,
                1.15909863,
                1.29168081,
                -5.38401794,
                -0.0807704926,
                -0.0807704926,
                0.687499762,
                1.06249928,
                0.375000149,
                -0.0999995023,
                -1.59999204,
                0.524997354,
                0.319411486,
                1.51265121,
                1.15909863,
                -3.26271915,
                -2.55561924,
                -3.61626887,
                0.624999881,
                1.18749917,
                0.43750006);
        expect(
                tensor("batch_norm", N, null, null, M, V, false, 0.1, 0.001, false),
                sizes(2, 4, 3),
                -0.22488758,
                -0.724637806,
                0.149925053,
                -1.36084044,
                0.318118542,
                0.583217323,
                -2.18984222,
                0.459160477,
                0.459160477,
                -0.187476575,
                -0.562429726,
                0.124984384,
                -0.0999500379,
                -1.59920061,
                0.524737716,
                -1.36084044,
                1.02504861,
                0.318118542,
                -1.13024116,
                -0.777040839,
                -1.30684137,
                -0.124984384,
                -0.68741411,
                0.0624921918);
    }

    @Test
    void byOwnValues() {
        expect(
                tensor(
                        "layer_norm",
                        N,
                        ints(3),
                        floats(sizes(3), 1, 2, 0.5),
                        floats(sizes(3), 0, 0.5, -1),
                        1e-05,
                        false),
                sizes(2, 4, 3),
                0.116243124,
                -2.05734849,
                -0.41878444,
                -1.40298629,
                1.59501374,
                -0.572260261,
                -1.4142046,
                1.9142046,
                -0.646448851,
                0.0741237402,
                -2.02020788,
                -0.407009959,
                0.327086449,
                -2.210145,
                -0.486006975,
                -1.35410964,
                2.56060171,
                -0.838095546,
                -0.267206192,
                3.17206311,
                -1.5344125,
                0.392227441,
                -2.24559212,
                -0.509715676);
        expect(
                tensor("group_norm", N, 2L, W, B, 1e-05, false),
                sizes(2, 4, 3),
                0.183919072,
                -0.367838144,
                0.597736955,
                -0.0115548819,
                1.29886854,
                1.50577748,
                -3.70762897,
                1.16610312,
                1.16610312,
                0.716610312,
                1.69135666,
                -0.0956783593,
                0.211209252,
                -1.05604625,
                0.739232361,
                0.207965329,
                1.63362777,
                1.2112093,
                -1.08971,
                -0.0131877661,
                -1.62797117,
                0.00659388304,
                2.42876887,
                -0.80079782);
        expect(
                tensor("instance_norm", N, W, B, null, null, true, 0.1, 1e-05, false),
                sizes(2, 4, 3),
                0.116243124,
                -1.27867424,
                1.16243112,
                0.298506737,
                1.2737534,
                1.42773974,
                -3.82840919,
                0.414204538,
                0.414204538,
                0.42587626,
                1.76010382,
                -0.685980082,
                0.327086449,
                -1.3550725,
                1.02798605,
                0.322945148,
                1.51515043,
                1.16190445,
                -1.53441238,
                1.67206287,
                -3.13765001,
                0.107772559,
                1.87279606,
                -0.480568588);
    }

    @Test
    void nativeFormsGiveTheirStatistics() {
        double[] counted = new double[24];
        Arrays.setAll(counted, i -> i);
        Tensor x = floats(sizes(2, 3, 4), counted);
        Tensor[] layer = tensors("native_layer_norm", x, ints(3, 4), null, null, 1e-5);
        expect(layer[1], sizes(2, 1, 1), 5.5, 17.5);
        expect(layer[2], sizes(2, 1, 1), 0.28968243, 0.28968243);
        Tensor[] training = tensors(
                "native_batch_norm",
                x,
                null,
                null,
                floats(sizes(3), 0, 0, 0),
                floats(sizes(3), 1, 1, 1),
                true,
                0.1,
                1e-5);
        expect(training[1], sizes(3), 7.5, 11.5, 15.5);
        expect(training[2], sizes(3), 0.16384636, 0.16384636, 0.16384636);
        Tensor[] running = tensors(
                "native_batch_norm",
                x,
                null,
                null,
                floats(sizes(3), 0, 0, 0),
                floats(sizes(3), 1, 1, 1),
                false,
                0.1,
                1e-5);
        expect(running[1], sizes(0));
        expect(running[2], sizes(0));
    }

    /**
     * Expected values are what genuine PyTorch's give, of numbers that differ from row to row and channel to channel.
     */
    @Test
    void statisticsAreThoseOfEachRowAndChannel() {
        double[] given = {0.5, -1.25, 3, 2, -0.75, 4.5, 1, 0, -2.5, 6, 1.5, -3};
        double[] means = {-0.375, 2.5, 1.875, 0.5, 1.75, -0.75};
        double[] inverses = {1.14211154, 1.99601209, 0.380924731, 1.99601209, 0.235287592, 0.444400549};
        Tensor x = floats(sizes(2, 3, 2), given);
        Tensor[] layer = tensors("native_layer_norm", x, ints(2), vector(2, -1), vector(0.5, 0.25), 1e-3);
        expect(
                layer[0],
                sizes(2, 3, 2),
                2.49869514,
                1.24934757,
                2.49601197,
                1.24800611,
                -1.4998548,
                -0.749927402,
                2.49601221,
                1.24800611,
                -1.49994457,
                -0.749972224,
                2.49980259,
                1.24990129);
        expect(layer[1], sizes(2, 3, 1), means);
        expect(layer[2], sizes(2, 3, 1), inverses);
        Tensor[] group = tensors(
                "native_group_norm",
                floats(sizes(2, 6, 1), given),
                vector(1, 2, 3, 4, 5, 6),
                vector(0, 1, 2, 3, 4, 5),
                2L,
                6L,
                1L,
                3L,
                1e-3);
        expect(
                group[0],
                sizes(2, 6, 1),
                0.999347568,
                -0.998695254,
                4.9940176,
                -0.992024422,
                -0.999637127,
                10.9995651,
                0.998006046,
                -0.996012092,
                -0.999916673,
                6.9998889,
                8.999506,
                -0.999407291);
        expect(group[1], sizes(2, 3), means);
        expect(group[2], sizes(2, 3), inverses);
        Tensor mean = vector(1, 2, 3);
        Tensor variance = vector(0.5, 1, 2);
        Tensor[] batch = tensors("native_batch_norm", x, vector(2, -1, 0.5), null, mean, variance, true, 0.25, 1e-3);
        expect(
                batch[0],
                sizes(2, 3, 2),
                1.04566169,
                -3.13698506,
                -0.286956578,
                0.0409938097,
                -0.236492723,
                0.70947814,
                2.24070358,
                -0.149380237,
                1.5167706,
                -1.27080774,
                0.168923378,
                -0.641908824);
        expect(batch[1], sizes(3), 0.0625, 2.125, 0.5625);
        expect(batch[2], sizes(3), 1.19504189, 0.327950388, 0.360369861);
        expect(mean, sizes(3), 0.765625, 2.03125, 2.390625);
        expect(variance, sizes(3), 0.608072937, 3.84895825, 4.06640625);
        Tensor[] running = tensors("native_batch_norm", x, null, null, mean, variance, false, 0.25, 1e-3);
        expect(
                running[0],
                sizes(2, 3, 2),
                -0.340356708,
                -2.58270669,
                0.493723333,
                -0.0159265995,
                -1.55724633,
                1.04591167,
                0.300314724,
                -0.98102814,
                -2.30935121,
                2.02267313,
                -0.441607177,
                -2.67288542);
        expect(mean, sizes(3), 0.765625, 2.03125, 2.390625);
        Tensor[] equal = tensors("native_layer_norm", floats(sizes(1, 4), 3, 3, 3, 3), ints(4), null, null, 1e-5);
        expect(equal[2], sizes(1, 1), 316.227783);
    }

    @Test
    void refusesWrongSizes() {
        assertThrows(IllegalArgumentException.class, () -> tensor("layer_norm", N, ints()));
        assertThrows(IllegalArgumentException.class, () -> tensor("layer_norm", N, ints(3), W));
        assertThrows(IllegalArgumentException.class, () -> tensor("layer_norm", N, ints(4, 3), null, W));
        assertThrows(IllegalArgumentException.class, () -> tensor("layer_norm", N, ints(4)));
        assertThrows(IllegalArgumentException.class, () -> tensor("group_norm", N, 3L));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("batch_norm", N, null, null, M, floats(sizes(1), 1), false, 0.1, 1e-5, false));
    }

    @Test
    void runningStatisticsOfDoublesStayWhatTheyWere() {
        Tensor x = Elements.cast(N, DType.FLOAT64);
        Tensor mean = Elements.ofDoubles(DType.FLOAT64, new double[] {0.5, -1, 2, 0}, 4);
        Tensor variance = Elements.ofDoubles(DType.FLOAT64, new double[] {1.5, 0.25, 4, 9}, 4);
        Tensor first = tensor("batch_norm", x, null, null, mean, variance, false, 0.1, 1e-5, false);
        assertArrayEquals(
                Elements.doubles(first),
                Elements.doubles(tensor("batch_norm", x, null, null, mean, variance, false, 0.1, 1e-5, false)));
        assertArrayEquals(new double[] {1.5, 0.25, 4, 9}, Elements.doubles(variance));
    }
}
