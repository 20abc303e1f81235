package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Random methods, whose branches, loops, windows, broadcasting and arithmetic depend on sizes, are called with images
 * of one random size after the other and give what the interpreter gives in float64, whose operators use none of the
 * kernels of programs.
 */
class RandomShapesTest {
    private static final int SHAPES = 40;
    private static final int LAYERS = 7;
    private static final double TOLERANCE = 1e-4;

    /** The lines of one method over images and its constants, as they are written. */
    private static final class Lines {
        final List<String> lines = new ArrayList<>();
        final List<Tensor> constants = new ArrayList<>();
        private final Random random;
        private int channels = 3;
        private String value = "x";
        private int names;

        Lines(Random random) {
            this.random = random;
            for (int layer = 0; layer < LAYERS; layer++) {
                add();
            }
            lines.add("return (" + value + ", torch.size(" + value + ", 2))");
        }

        private void becomes(String expression) {
            String name = "v" + names++;
            lines.add(name + " = " + expression.replace("$", value));
            value = name;
        }

        private String constant(double scale, int... sizes) {
            float[] values = new float[(int) Shape.numel(sizes)];
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) ((random.nextDouble() * 2 - 1) * scale);
            }
            constants.add(Tensor.of(values, sizes));
            return "CONSTANTS.c" + (constants.size() - 1);
        }

        private void convolution() {
            int kernel = random.nextBoolean() ? 3 : 1;
            int stride = random.nextInt(3) == 0 ? 2 : 1;
            boolean depthwise = random.nextInt(3) == 0;
            int outs = depthwise ? channels : List.of(3, 8, 16, 33).get(random.nextInt(4));
            int ins = depthwise ? 1 : channels;
            String weight = constant(Math.sqrt(3.0 / (ins * kernel * kernel)), outs, ins, kernel, kernel);
            String bias = random.nextBoolean() ? constant(1, outs) : "None";
            int pad = kernel / 2;
            becomes("torch.conv2d($, " + weight + ", " + bias + ", [" + stride + ", " + stride + "], [" + pad + ", "
                    + pad + "], [1, 1], " + (depthwise ? channels : 1) + ")");
            channels = outs;
            if (random.nextBoolean()) {
                String mean = constant(1, outs);
                String ones = "torch.add(torch.abs(" + constant(1, outs) + "), 1.)";
                becomes("torch.batch_norm($, " + constant(1, outs) + ", " + mean + ", " + mean + ", " + ones
                        + ", False, 0.1, 1e-05, True)");
            }
        }

        private void add() {
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> convolution();
                case 3 ->
                    becomes(List.of(
                                    "torch.relu($)",
                                    "torch.hardtanh($, -1., 2.)",
                                    "torch.sigmoid($)",
                                    "torch.hardswish($)")
                            .get(random.nextInt(4)));
                case 4 ->
                    becomes(List.of(
                                    "torch.max_pool2d($, [2, 2], [2, 2])",
                                    "torch.avg_pool2d($, [3, 3], [1, 1], [1, 1])",
                                    "torch.max_pool2d($, [3, 3], [2, 2], [1, 1], [1, 1], True)")
                            .get(random.nextInt(3)));
                case 5 -> becomes("torch.adaptive_avg_pool2d($, [" + (1 + random.nextInt(4)) + ", torch.size($, 3)])");
                case 6 ->
                    becomes("torch.upsample_nearest2d($, [torch.add(torch.size($, 2), 3), torch.mul(torch.size($, "
                            + "3), 2)])");
                case 7 -> becomes("torch.add($, torch.mean($, [2, 3], True))");
                // Of one row, whatever the image has.
                case 8 -> becomes("torch.mul($, torch.slice($, 2, 0, 1))");
                case 9 -> branch();
                case 10 ->
                    becomes("torch.mul(torch.reshape(torch.transpose(torch.reshape($, [torch.size($, 0), " + channels
                            + ", -1]), 1, 2), [torch.size($, 0), " + channels + ", torch.size($, 2), -1]), 0.5)");
                case 11 -> loop();
                case 12 ->
                    becomes("torch.constant_pad_nd($, [0, torch.remainder(torch.size($, 3), 2), "
                            + "torch.remainder(torch.size($, 2), 3), 0], 0.25)");
                default -> becomes("torch.div($, torch.add(torch.mul(torch.size($, 2), torch.size($, 3)), 1))");
            }
        }

        private void branch() {
            String from = value;
            value = "v" + names++;
            lines.add("if torch.gt(torch.size(" + from + ", 2), " + (1 + random.nextInt(12)) + "):");
            lines.add("  " + value + " = torch.relu(" + from + ")");
            lines.add("else:");
            lines.add("  " + value + " = torch.cat([torch.slice(" + from + ", 3, 0, 2), " + from + "], 3)");
        }

        private void loop() {
            String from = value;
            value = "v" + names++;
            lines.add(value + " = torch.mul(" + from + ", 2.)");
            lines.add("for i in range(torch.size(" + from + ", 0)):");
            lines.add("  " + value + " = torch.sub(" + value + ", torch.select(" + from + ", 0, i))");
        }
    }

    private static Object[] doubles(List<Tensor> tensors) {
        return tensors.stream().map(t -> Elements.cast(t, DType.FLOAT64)).toArray();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})
    void oneShapeAfterTheOther(long seed) {
        Random random = new Random(seed);
        Lines made = new Lines(random);
        Methods exact = Methods.forward(1, made.lines, doubles(made.constants));
        Methods methods = Methods.forward(1, made.lines, made.constants.toArray());
        int ran = 0;
        for (int i = 0; i < SHAPES; i++) {
            int[] sizes = {random.nextInt(4), 3, random.nextInt(i < 6 ? 3 : 22), random.nextInt(i < 6 ? 3 : 22)};
            Tensor x = Agreement.floats(sizes);
            if (random.nextInt(4) == 0) {
                x = Agreement.last(x);
            }
            String what = "seed " + seed + " sizes " + Arrays.toString(sizes) + " of " + String.join("\n", made.lines);
            Object expected;
            try {
                expected = exact.interpret("forward", Elements.cast(x, DType.FLOAT64));
            } catch (RuntimeException e) {
                Tensor refused = x;
                assertThrows(e.getClass(), () -> methods.specialise("forward", refused), what);
                continue;
            }
            ran++;
            for (int call = 0; call < 2; call++) {
                equal(expected, methods.specialise("forward", x), what);
            }
        }
        assertTrue(ran > SHAPES / 4, "seed " + seed + ": only " + ran + " shapes suit it");
    }

    private static void equal(Object expected, Object actual, String what) {
        List<Object> wanted = ((ScriptTuple) expected).items();
        List<Object> given = ((ScriptTuple) actual).items();
        assertEquals(wanted.get(1), given.get(1), what);
        Tensor a = (Tensor) wanted.get(0);
        Tensor b = (Tensor) given.get(0);
        assertArrayEquals(a.sizes(), b.sizes(), what);
        double largest = 1;
        for (int i = 0; i < a.numel(); i++) {
            // Means of nothing are no numbers.
            largest = Double.isFinite(a.getDouble(i)) ? Math.max(largest, Math.abs(a.getDouble(i))) : largest;
        }
        for (int i = 0; i < a.numel(); i++) {
            assertEquals(a.getDouble(i), b.getDouble(i), TOLERANCE * largest, what + " element " + i);
        }
    }
}
