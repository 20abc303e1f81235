package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;

class WeightOrderTest {
    /** Two output channels, two taps, three input channels: from [out][tap][in] to [out][in][tap]. */
    private final WeightOrder order = new WeightOrder(2, 6, new int[] {0, 2, 4, 1, 3, 5});

    @Test
    void bytesGoToTheirPlaces() {
        byte[] stored = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
        assertArrayEquals(
                new byte[] {0, 3, 1, 4, 2, 5, 10, 13, 11, 14, 12, 15},
                order.bytes(ByteBuffer.wrap(stored).asReadOnlyBuffer()));
    }

    @Test
    void floatsGoToTheirPlaces() {
        float[] stored = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        assertEquals(12, order.count());
        assertArrayEquals(new float[] {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}, order.floats(FloatBuffer.wrap(stored)));
    }

    @Test
    void rowsOfTapsAreSpreadOverChannels() {
        WeightOrder depthwise = new WeightOrder(2, 1, new int[] {0, 2, 4});
        assertArrayEquals(
                new byte[] {1, 4, 2, 5, 3, 6}, depthwise.bytes(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6})));
    }
}
