package org.torchnnapi.converter.input;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class InputSpecTest {
    @Test
    void sizesMayBeFlexibleButNotLessThanMinusOne() {
        assertArrayEquals(
                new int[] {0, -1, 3}, InputSpec.of(DType.FLOAT32, 0, -1, 3).shape());
        assertSays("-2", () -> InputSpec.of(DType.FLOAT32, 1, -2));
        assertSays(
                "[1, 3, 30000, 30000] (expected: at most 2147483647 elements)",
                () -> InputSpec.of(DType.FLOAT32, 1, 3, 30_000, 30_000));
    }

    @Test
    void onlyFeatureMapsAreChannelsLast() {
        assertTrue(InputSpec.of(DType.FLOAT32, 1, 3, 4, 4).asChannelsLast().channelsLast());
        assertSays("[3, 4]", InputSpec.of(DType.FLOAT32, 3, 4)::asChannelsLast);
    }

    @Test
    void examplesGiveTypeShapeAndQuantization() {
        Tensor bytes = Tensor.of(DType.QUINT8, new byte[6], 2, 3).withQuantization(new Quantization.PerTensor(0.5, 7));
        assertEquals(InputSpec.quantized(0.5, 7, 2, 3), InputSpec.like(bytes));
        assertEquals(
                "quint8[2, 3] scale 0.5 zero point 7", InputSpec.like(bytes).toString());
    }

    @Test
    void examplesAreChannelsLastWhereTheyLieSoAndNotInBothOrders() {
        Tensor map = Tensor.of(new float[24], 1, 3, 4, 2);
        assertFalse(InputSpec.like(map).channelsLast());
        assertTrue(InputSpec.like(map.contiguous(MemoryFormat.CHANNELS_LAST)).channelsLast());
        assertFalse(InputSpec.like(Tensor.of(new float[8], 1, 1, 4, 2)).channelsLast());
    }

    @Test
    void textsAreReadAsTheyAreWritten() {
        for (String text : List.of("float32[1,3,-1,0]", "quint8[1,3,4,5]@0.5,128:nhwc", "qint8[4]@0.25,-128")) {
            assertEquals(text, InputSpec.parse(text).text());
        }
        assertEquals(InputSpec.of(DType.FLOAT32, 1, -1), InputSpec.parse("1, ?"));
        assertSays("input: quint8[1]@0.1,256", () -> InputSpec.parse("quint8[1]@0.1,256"));
        assertSays("input: float32[1,,3]", () -> InputSpec.parse("float32[1,,3]"));
    }

    @Test
    void theShapeIsItsOwn() {
        int[] shape = {1, 2};
        InputSpec spec = InputSpec.of(DType.INT32, shape);
        shape[0] = 5;
        spec.shape()[1] = 6;
        assertEquals(InputSpec.of(DType.INT32, 1, 2), spec);
        assertNotEquals(InputSpec.of(DType.INT32, 5, 2), spec);
    }

    private static void assertSays(String value, Runnable made) {
        String message = assertThrows(IllegalArgumentException.class, made::run).getMessage();
        assertTrue(message.contains(value) && message.contains("expected"), message);
    }
}
