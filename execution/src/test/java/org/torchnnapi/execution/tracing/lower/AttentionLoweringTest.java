package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.execution.tracing.Agreement.compare;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class AttentionLoweringTest {
    private static final int WIDTH = 12;

    /** Weights that do not magnify what rounding differs in. */
    private static Tensor small(int... sizes) {
        float[] values = floats(sizes).toFloatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] /= 8;
        }
        return Tensor.of(values, sizes);
    }

    private static Object[] layer() {
        return new Object[] {
            small(3 * WIDTH, WIDTH),
            floats(3 * WIDTH),
            small(WIDTH, WIDTH),
            floats(WIDTH),
            floats(WIDTH),
            floats(WIDTH),
            floats(WIDTH),
            floats(WIDTH),
            small(20, WIDTH),
            floats(20),
            small(WIDTH, 20),
            floats(WIDTH)
        };
    }

    private static String layer(String x, String gelu, String normFirst, String mask) {
        return "torch._transformer_encoder_layer_fwd(" + x
                + ", 12, 3, CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, " + gelu + ", "
                + normFirst
                + ", 1e-05, CONSTANTS.c4, CONSTANTS.c5, CONSTANTS.c6, CONSTANTS.c7, CONSTANTS.c8, CONSTANTS.c9, "
                + "CONSTANTS.c10, CONSTANTS.c11, "
                + mask + ")";
    }

    @ParameterizedTest
    @CsvSource({"True, False", "False, True", "True, True"})
    void encoderLayers(String gelu, String normFirst) {
        lowered(layer("torch.mul(x, 0.25)", gelu, normFirst, "None, None"), layer(), floats(2, 5, WIDTH));
    }

    @Test
    void encoderLayersWithMasks() {
        Tensor padding = Tensor.of(new long[] {3, 2, 0, 0, 5, 1, 1, 4, 7, 8}, 2, 5);
        lowered(
                List.of("m = torch.eq(y, 0)", "return " + layer("torch.mul(x, 0.25)", "False", "False", "m, 1")),
                layer(),
                floats(2, 5, WIDTH),
                padding);
        Tensor pairs = Tensor.of(new long[] {0, 1, 0, 1, 0, 0, 0, 0, 0}, 3, 3);
        lowered(
                List.of("m = torch.eq(y, 1)", "return " + layer("torch.mul(x, 0.25)", "True", "True", "m, 0")),
                layer(),
                floats(2, 3, WIDTH),
                pairs);
    }

    @Test
    void sequencesWithoutTheirPadding() {
        Tensor lengths = Tensor.of(new long[] {3, 2, 5, 1, 9, 1, 1, 0, 0, 0}, 2, 5);
        List<String> lines = List.of(
                "n = torch._nested_tensor_from_mask(torch.mul(x, 0.25), torch.ne(y, 0), False)",
                "n = " + layer("n", "False", "False", "None, None"),
                "return torch.to_padded_tensor(n, 0.)");
        lowered(lines, layer(), floats(2, 5, WIDTH), lengths);
        Tensor shorter = Tensor.of(new long[] {3, 2, 5, 0, 0, 1, 1, 0, 0, 0}, 2, 5);
        compare(lines, layer(), floats(2, 5, WIDTH), shorter);
    }

    @Test
    void attentionToItself() {
        Object[] constants = {small(3 * WIDTH, WIDTH), floats(3 * WIDTH), small(WIDTH, WIDTH), floats(WIDTH)};
        lowered(
                List.of(
                        "y = torch.mul(x, 0.25)",
                        "r, w, = torch._native_multi_head_attention(y, y, y, 12, 2, CONSTANTS.c0, CONSTANTS.c1, "
                                + "CONSTANTS.c2, CONSTANTS.c3, None, False, True, None)",
                        "return r"),
                constants,
                floats(2, 7, WIDTH));
    }

    @Test
    void scaledDotProducts() {
        lowered(
                List.of("r, w, = torch._scaled_dot_product_attention(x, y, z)", "return r"),
                new Object[0],
                floats(2, 3, 5, 8),
                floats(2, 3, 6, 8),
                floats(2, 3, 6, 7));
        lowered(
                List.of("r, w, = torch._scaled_dot_product_attention(x, y, z)", "return w"),
                new Object[0],
                floats(2, 3, 5, 8),
                floats(2, 3, 6, 8),
                floats(2, 3, 6, 7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x, y, z",
                "x, y, z, None, 0., False, scale=0.3",
                "x, y, z, torch.gt(torch.select(torch.slice(x, 3, 0, 6), 0, 0), 0.)",
                "x, y, z, torch.slice(x, 3, 0, 6)",
                "x, y, z, torch.select(torch.slice(x, 3, 0, 6), 0, 1)",
                "torch.slice(x, 2, 0, 5), y, z, None, 0., True",
                "x, y, z, torch.gt(torch.slice(x, 3, 0, 6), 5.)"
            })
    void scaledDotProductsAreOneOperation(String arguments) {
        List<String> steps = lowered(
                List.of("return torch.scaled_dot_product_attention(" + arguments + ")"),
                new Object[0],
                floats(2, 3, 5, 8),
                floats(2, 3, 6, 8),
                floats(2, 3, 6, 7));
        assertTrue(steps.stream().anyMatch(step -> step.contains("attention to")), steps::toString);
        assertTrue(steps.stream().noneMatch(step -> step.contains("softmax")), steps::toString);
    }

    @Test
    void queriesForSeveralHeadsOfKeys() {
        compare(
                List.of("return torch.scaled_dot_product_attention(x, y, z, None, 0., False, enable_gqa=True)"),
                new Object[0],
                floats(2, 4, 5, 8),
                floats(2, 2, 6, 8),
                floats(2, 2, 6, 7));
    }

    @Test
    void noKeysGiveZeros() {
        compare(
                List.of("return torch.scaled_dot_product_attention(x, y, y)"),
                new Object[0],
                floats(2, 3, 5, 8),
                floats(2, 3, 0, 8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.bmm(torch.dropout(torch.softmax(torch.bmm(x, torch.transpose(y, 1, 2)), -1), 0.1, False), z)",
                "torch.matmul(torch.softmax(torch.div(torch.matmul(x, torch.permute(y, [0, 2, 1])), 2.), 2), z)",
                "torch.bmm(torch.softmax(torch.baddbmm(torch.slice(x, 2, 0, 6), x, torch.transpose(y, 1, 2)), -1), z)",
                "torch.bmm(torch.softmax(torch.masked_fill(torch.bmm(x, torch.transpose(y, 1, 2)), "
                        // No row is hidden as a whole.
                        + "torch.gt(torch.slice(x, 2, 0, 6), torch.mean(torch.slice(x, 2, 0, 6), [2], True)), -inf), "
                        + "-1), z)"
            })
    void writtenOutItIsOneOperationToo(String expression) {
        List<String> steps = lowered(
                List.of("return " + expression), new Object[0], floats(3, 5, 8), floats(3, 6, 8), floats(3, 6, 7));
        assertTrue(steps.stream().anyMatch(step -> step.contains("attention to")), steps::toString);
    }
}
