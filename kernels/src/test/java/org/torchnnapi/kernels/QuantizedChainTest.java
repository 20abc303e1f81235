package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.QuantizedChain.Stage;

class QuantizedChainTest {
    /** Extents around the tiles of every kernel: channels in, wide, out, height, width, kernel, stride. */
    private static final int[][] SHAPES = {
        {1, 2, 1, 1, 1, 1, 1},
        {3, 5, 2, 4, 5, 3, 1},
        {16, 96, 24, 20, 22, 3, 2},
        {24, 144, 24, 15, 13, 3, 1},
        {8, 33, 17, 9, 31, 3, 1},
        {20, 70, 40, 14, 14, 5, 2},
        {32, 64, 32, 7, 7, 3, 1},
        {12, 130, 66, 5, 57, 5, 1},
        {20, 96, 24, 7, 9, 3, 1},
        {16, 96, 24, 12, 30, 3, 1},
        {8, 40, 8, 8, 17, 3, 1},
        {64, 384, 96, 14, 14, 3, 1},
        {80, 160, 16, 14, 13, 3, 2},
        {24, 224, 8, 6, 5, 3, 2},
        {16, 32, 16, 40, 3, 3, 2},
        {4, 8, 8, 2, 2, 5, 1}
    };

    @Test
    void equalsTheDefinitionsOfItsStages() {
        checkAll(false, new Random(5));
    }

    @Test
    void whatStagesGiveIsLookedUpInTheirTables() {
        checkAll(true, new Random(9));
    }

    private static void checkAll(boolean tables, Random random) {
        for (int[] s : SHAPES) {
            for (int i = 0; i < 6; i++) {
                int wide = s[1];
                ConvShape middle = ConvShape.of(wide, s[3], s[4], wide, s[5], s[5])
                        .stride(s[6], s[6])
                        .padding(s[5] / 2, s[5] / 2)
                        .groups(wide);
                check(s, middle, i != 1, i != 2, i % 3 == 0, tables, random);
            }
        }
    }

    /** Top, bottom, left, right. */
    private static final int[][] PADDINGS = {
        {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 0, 1}, {1, 0, 1, 0}, {0, 2, 1, 2}, {2, 1, 0, 0}
    };

    @Test
    void threeByThreeKernelsTakeRowsInPairsWhereverThePaddingIs() {
        Random random = new Random(7);
        for (int[] p : PADDINGS) {
            for (int stride = 1; stride <= 2; stride++) {
                for (int size = 6; size <= 9; size++) {
                    int[] s = {8, 40 + 2 * size, 20, size, 15 - size, 3, stride};
                    ConvShape middle = ConvShape.of(s[1], s[3], s[4], s[1], 3, 3)
                            .stride(stride, stride)
                            .padding(p[0], p[1], p[2], p[3])
                            .groups(s[1]);
                    check(s, middle, size != 8, true, false, size % 2 == 0, random);
                }
            }
        }
    }

    /** @param tables whether stages have tables, each or not */
    private static void check(
            int[] s,
            ConvShape middle,
            boolean expands,
            boolean projects,
            boolean signed,
            boolean tables,
            Random random) {
        int wide = s[1];
        ConvShape first = ConvShape.of(s[0], s[3], s[4], wide, 1, 1);
        ConvShape last = ConvShape.of(wide, middle.outH(), middle.outW(), s[2], 1, 1);
        Plain expand = expands ? Plain.of(first, signed, null, tables, random) : null;
        Plain depthwise = Plain.of(middle, signed, expand, tables, random);
        Plain project = projects ? Plain.of(last, signed, depthwise, tables, random) : null;
        int outC = projects ? s[2] : wide;
        byte[] in = Twins.randomBytes(random, (expands ? s[0] : wide) * s[3] * s[4] + 3L);
        byte[] residual = Twins.randomBytes(random, (long) outC * middle.outH() * middle.outW() + 5);
        Twins.Sum sum = random.nextBoolean()
                ? null
                : new Twins.Sum(random.nextBoolean(), 0.02f, 7, 0.03f, 20, 0.04f, 30, signed);

        byte[] image = Arrays.copyOfRange(in, 3, in.length);
        for (Plain stage : new Plain[] {expand, depthwise, project}) {
            if (stage != null) {
                image = stage.outputs(image);
            }
        }
        byte[] expected = new byte[image.length + 1];
        for (int i = 0; i < image.length; i++) {
            expected[1 + i] = sum == null ? image[i] : sum.of(image[i], residual[5 + i]);
        }
        QuantizedChain chain = QuantizedChain.plan(
                expand == null ? null : expand.stage(),
                depthwise.stage(),
                project == null ? null : project.stage(),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                sum == null ? null : sum.planned());
        byte[] actual = new byte[expected.length];
        int cut = chain.units() / 2;
        chain.run(in, 3, residual, 5, actual, 1, cut, chain.units());
        chain.run(in, 3, residual, 5, actual, 1, 0, Math.min(1, cut));
        for (int unit = 1; unit < cut; unit++) {
            chain.resume(in, 3, residual, 5, actual, 1, unit, unit + 1);
        }
        assertArrayEquals(
                expected,
                actual,
                () -> middle + " expand " + expands + " project " + projects + " sum " + (sum != null));
    }

    /** A stage whose outputs are known from its definition. */
    private record Plain(
            ConvShape shape,
            boolean signed,
            int inputZeroPoint,
            QuantizedWeights weights,
            int[] bias,
            Twins.Rule rule,
            byte[] table) {
        /** @param before mostly has the zero point that the stage reads with, as in models; null for any */
        static Plain of(ConvShape shape, boolean signed, Plain before, boolean tables, Random random) {
            int low = signed ? -128 : 0;
            double scale = (0.5 + random.nextDouble()) * 0.02 / Math.sqrt(shape.weightCount() / (double) shape.outC());
            int zero = low + random.nextInt(200);
            Twins.Rule rule =
                    new Twins.Rule(new float[] {(float) scale}, zero, random.nextBoolean() ? zero : low, low + 255);
            int inputZero =
                    before == null || random.nextInt(4) == 0 ? low + random.nextInt(256) : before.rule.zeroPoint();
            return new Plain(
                    shape,
                    signed,
                    inputZero,
                    new QuantizedWeights(Twins.randomBytes(random, shape.weightCount()), true, new int[] {0}),
                    random.ints(shape.outC(), -3000, 3000).toArray(),
                    rule,
                    tables && random.nextInt(3) > 0 ? Twins.randomBytes(random, 256) : null);
        }

        Stage stage() {
            Requantization planned = rule.planned();
            return new Stage(
                    shape, signed, inputZeroPoint, weights, bias, table == null ? planned : planned.mapped(table));
        }

        /** Of NHWC bytes. */
        byte[] outputs(byte[] in) {
            int pixels = shape.outH() * shape.outW();
            int[] sums = Twins.quantizedSums(
                    shape,
                    transposed(in, shape.inH() * shape.inW(), shape.inC()),
                    signed,
                    inputZeroPoint,
                    weights,
                    bias);
            byte[] out = new byte[sums.length];
            for (int i = 0; i < out.length; i++) {
                int value = rule.of(sums[i], i / pixels);
                out[i] = table == null ? (byte) value : table[value & 0xff];
            }
            return transposed(out, shape.outC(), pixels);
        }

        private static byte[] transposed(byte[] matrix, int rows, int columns) {
            byte[] transposed = new byte[matrix.length];
            for (int i = 0; i < matrix.length; i++) {
                transposed[i % columns * rows + i / columns] = matrix[i];
            }
            return transposed;
        }
    }

    @Test
    void refusesStagesThatDoNotFit() {
        Random random = new Random(6);
        Stage expand = Plain.of(ConvShape.of(2, 4, 4, 6, 1, 1), false, null, false, random)
                .stage();
        Stage depthwise = Plain.of(ConvShape.of(6, 4, 4, 6, 3, 3).padding(1, 1).groups(6), false, null, false, random)
                .stage();
        Stage project = Plain.of(ConvShape.of(5, 4, 4, 2, 1, 1), false, null, false, random)
                .stage();
        assertThrows(IllegalArgumentException.class, () -> plan(expand, depthwise, project));
        assertThrows(IllegalArgumentException.class, () -> plan(depthwise, depthwise, null));
        assertThrows(IllegalArgumentException.class, () -> plan(null, expand, null));
        QuantizedChain chain = plan(expand, depthwise, null);
        assertThrows(IllegalArgumentException.class, () -> chain.run(new byte[32], 0, null, 0, new byte[95], 0, 0, 1));
    }

    private static QuantizedChain plan(Stage expand, Stage depthwise, Stage project) {
        return QuantizedChain.plan(expand, depthwise, project, ImageLayout.NHWC, ImageLayout.NHWC, null);
    }
}
