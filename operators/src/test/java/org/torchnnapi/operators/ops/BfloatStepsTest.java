package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Functions of bfloat16 that PyTorch rounds step by step. Expected values are genuine PyTorch's, to the bit. */
class BfloatStepsTest {
    private static final Tensor X = bfloats(-2.296875, -0.69921875, 0, 0.310546875, 1.8984375);

    private static Tensor bfloats(double... values) {
        return Elements.cast(vector(values), DType.BFLOAT16);
    }

    @Test
    void functions() {
        assertArrayEquals(
                new double[] {0.01171875, 0.2421875, 0.5, 0.62109375, 0.96875},
                Elements.doubles(tensor("special_ndtr", X)));
        assertArrayEquals(
                new double[] {0.111328125, 0.3671875, 1, 0.84765625, -0.0517578125},
                Elements.doubles(tensor("sinc", X)));
    }

    @Test
    void losses() {
        Tensor target = bfloats(0.10009765625, 0.8984375, 1, 0, 0.6015625);
        assertArrayEquals(
                new double[] {0.33203125, 1.03125, 0.69140625, 0.859375, 0.8984375},
                Elements.doubles(tensor("binary_cross_entropy_with_logits", X, target, null, null, 0L)));
        assertArrayEquals(
                new double[] {0.328125, 2.03125, 0.2080078125, 0.859375, 1.0625},
                Elements.doubles(tensor(
                        "binary_cross_entropy_with_logits", X, target, null, bfloats(1, 2, 0.30078125, 1.5, 3), 0L)));
    }

    private static final Tensor BATCH = Elements.cast(
            floats(
                    sizes(2, 2, 3),
                    0.8046875,
                    0.1748046875,
                    0.0888671875,
                    -0.61328125,
                    0.046142578125,
                    -1.3671875,
                    0.337890625,
                    1.0078125,
                    -1.4375,
                    0.9765625,
                    0.5234375,
                    1.234375),
            DType.BFLOAT16);

    @Test
    void batchesAmongBfloats() {
        Tensor mean = bfloats(0.5, -0.25);
        Tensor variance = bfloats(1.5, 0.75);
        Tensor[] all = tensors(
                "native_batch_norm", BATCH, bfloats(1.3, 0.7), bfloats(0.2, -0.4), mean, variance, true, 0.3, 0.6);
        assertArrayEquals(
                new double[] {
                    0.953125,
                    0.2138671875,
                    0.11279296875,
                    -0.83984375,
                    -0.451171875,
                    -1.28125,
                    0.40625,
                    1.1953125,
                    -1.6796875,
                    0.0947265625,
                    -0.171875,
                    0.24609375
                },
                Elements.doubles(all[0]));
        assertArrayEquals(new double[] {0.1630859375, 0.1337890625}, Elements.doubles(all[1]));
        assertArrayEquals(new double[] {0.90625, 0.83984375}, Elements.doubles(all[2]));
        assertArrayEquals(new double[] {0.3984375, -0.134765625}, Elements.doubles(mean));
        assertArrayEquals(new double[] {1.2734375, 0.81640625}, Elements.doubles(variance));
    }

    @Test
    void batchesBesideFloats() {
        Tensor mean = vector(0.5, -0.25);
        Tensor variance = vector(1.5, 0.75);
        Tensor[] all = tensors(
                "native_batch_norm", BATCH, vector(1.3, 0.7), vector(0.2, -0.4), mean, variance, true, 0.3, 0.6);
        assertArrayEquals(
                new double[] {
                    0.95703125,
                    0.2138671875,
                    0.11328125,
                    -0.83984375,
                    -0.451171875,
                    -1.28125,
                    0.40625,
                    1.1953125,
                    -1.6796875,
                    0.09619140625,
                    -0.1708984375,
                    0.248046875
                },
                Elements.doubles(all[0]));
        expect(all[1], sizes(2), 0.1627604216337204, 0.1333414763212204);
        expect(all[2], sizes(2), 0.9051539301872253, 0.8405583500862122);
        expect(mean, sizes(2), 0.3988281190395355, -0.13499754667282104);
        expect(variance, sizes(2), 1.2733975648880005, 0.8185264468193054);
    }

    @Test
    void aRunningMeanMovesWithoutAVariance() {
        Tensor mean = vector(0.5, -0.25);
        tensors("native_batch_norm", Elements.cast(BATCH, DType.FLOAT32), null, null, mean, null, true, 0.3, 0.6);
        expect(mean, sizes(2), 0.3988281190395355, -0.13499754667282104);
    }
}
