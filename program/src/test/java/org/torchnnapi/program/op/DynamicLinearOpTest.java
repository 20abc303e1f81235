package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;

class DynamicLinearOpTest {
    private static final ValueType RANGES = ValueType.floats(2, 2);

    private static ValueType bytes(int rows, int row) {
        return new ValueType(Element.UINT8, new int[] {rows, row}, 1, 0);
    }

    @Test
    void sumsExactly() {
        Random random = new Random(12);
        byte[] weights = new byte[5 * 70];
        random.nextBytes(weights);
        DynamicProduct product = DynamicProduct.plan(
                5, 70, new QuantizedWeights(weights, true, new int[] {0}), new float[] {0.02f}, null, false);
        byte[] in = new byte[3 * 8];
        random.nextBytes(in);
        float[] out = (float[]) Ops.run(
                new DynamicLinearOp(product), List.of(bytes(3, 8), RANGES), in, new float[] {-1, 0, -0.5f, 1.55f});
        for (int r = 0; r < 3; r++) {
            for (int o = 0; o < 70; o++) {
                int sum = 0;
                for (int i = 0; i < 5; i++) {
                    sum += ((in[r * 8 + i] & 0xff) - 100) * weights[o * 5 + i];
                }
                assertEquals(sum * (2.55 / 255 * 0.02), out[r * 70 + o], 1e-4);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new DynamicLinearOp(product).result(List.of(bytes(3, 4), RANGES)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new DynamicLinearOp(product).result(List.of(ValueType.floats(3, 8), RANGES)));
    }
}
