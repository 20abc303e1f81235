package org.torchnnapi.torchscript.specialise.lower;

import static org.torchnnapi.torchscript.specialise.Agreement.floats;
import static org.torchnnapi.torchscript.specialise.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @CsvSource({"True, False", "False, True", "True, True"})
    void encoderLayers(String gelu, String normFirst) {
        Object[] constants = {small(3 * WIDTH, WIDTH), floats(3 * WIDTH), small(WIDTH, WIDTH), floats(WIDTH), floats(WIDTH), floats(WIDTH),
            floats(WIDTH), floats(WIDTH), small(20, WIDTH), floats(20), small(WIDTH, 20), floats(WIDTH)};
        String weights = "CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, " + gelu + ", " + normFirst
            + ", 1e-05, CONSTANTS.c4, CONSTANTS.c5, CONSTANTS.c6, CONSTANTS.c7, CONSTANTS.c8, CONSTANTS.c9, CONSTANTS.c10, CONSTANTS.c11, None, None";
        lowered("torch._transformer_encoder_layer_fwd(torch.mul(x, 0.25), 12, 3, " + weights + ")", constants, floats(2, 5, WIDTH));
    }

    @Test
    void attentionToItself() {
        Object[] constants = {small(3 * WIDTH, WIDTH), floats(3 * WIDTH), small(WIDTH, WIDTH), floats(WIDTH)};
        lowered(List.of("y = torch.mul(x, 0.25)", "r, w, = torch._native_multi_head_attention(y, y, y, 12, 2, CONSTANTS.c0, CONSTANTS.c1, "
            + "CONSTANTS.c2, CONSTANTS.c3, None, False, True, None)", "return r"), constants, floats(2, 7, WIDTH));
    }

    @Test
    void scaledDotProducts() {
        lowered(List.of("r, w, = torch._scaled_dot_product_attention(x, y, z)", "return r"), new Object[0], floats(2, 3, 5, 8), floats(2, 3, 6, 8),
            floats(2, 3, 6, 7));
    }
}
