package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class WeightsTest {
    private final float[] values = {1, 2, 3, 4, 5, 6};

    @Test
    void anArrayIsItself() {
        Weights weights = Weights.of(values);
        assertEquals(6, weights.length());
        assertSame(values, weights.values());
    }

    @Test
    void storedOnesAreReadWhereTheyLie() {
        ByteBuffer bytes = ByteBuffer.allocate(4 * 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(9)
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .position(4);
        Weights weights = Weights.stored(bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN));
        assertEquals(3, weights.length());
        assertArrayEquals(new float[] {1, 2, 3}, weights.values());
        assertArrayEquals(new float[] {2, 6, 12}, weights.scaled(2, 3, 4).values());
        assertArrayEquals(new float[] {1, 2, 3}, weights.values());
    }

    @Test
    void factorsAreForEqualParts() {
        Weights scaled = Weights.of(values).scaled(10, 0.5f).scaled(1, 2, -1);
        assertEquals(6, scaled.length());
        assertArrayEquals(new float[] {10, 20, 60, 4, -2.5f, -3}, scaled.values());
        assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, values, "the array stays as it was");
    }

    @Test
    void whatIsNoNumberStaysSo() {
        float[] odd = {Float.NaN, Float.POSITIVE_INFINITY, -0f, Float.NEGATIVE_INFINITY, 0, Float.NaN};
        assertArrayEquals(
                new float[] {Float.NaN, Float.POSITIVE_INFINITY, -0f, Float.POSITIVE_INFINITY, Float.NaN, Float.NaN},
                Weights.of(odd).scaled(2, Float.NEGATIVE_INFINITY).values());
    }

    @Test
    void partsAreThoseBetweenTwoPlaces() {
        Weights part = Weights.of(values).scaled(1, 2).part(2, 5);
        assertEquals(3, part.length());
        assertArrayEquals(new float[] {3, 8, 10}, part.values());
        assertNull(part.origin(), "nothing is known of an array");
    }

    /** Numbers of some memory, which count how often they are read. */
    private static final class Known implements Weights {
        private final WeightsOrigin origin;

        Known(Object memory, Object... parts) {
            origin = WeightsOrigin.of(memory, parts);
        }

        @Override
        public int length() {
            return 6;
        }

        @Override
        public float[] values() {
            throw new IllegalStateException("read");
        }

        @Override
        public WeightsOrigin origin() {
            return origin;
        }
    }

    @Test
    void originsAreThoseOfOneMemoryAndWhatIsMadeOfIt() {
        Object memory = new Object();
        Weights weights = new Known(memory, 1, List.of(2, 3));
        assertEquals(weights.origin(), new Known(memory, 1, List.of(2, 3)).origin());
        assertNotEquals(weights.origin(), new Known(new Object(), 1, List.of(2, 3)).origin());
        assertNotEquals(weights.origin(), new Known(memory, 2, List.of(2, 3)).origin());
        assertEquals(
                weights.scaled(1, 2).part(0, 3).origin(),
                new Known(memory, 1, List.of(2, 3)).scaled(1, 2).part(0, 3).origin());
        assertEquals(
                weights.scaled(1, 2).origin().hashCode(),
                new Known(memory, 1, List.of(2, 3)).scaled(1, 2).origin().hashCode());
        assertNotEquals(weights.scaled(1, 2).origin(), weights.scaled(1, 3).origin());
        assertNotEquals(weights.part(0, 3).origin(), weights.part(0, 4).origin());
        assertNotEquals(
                weights.scaled(1, 2).part(0, 3).origin(),
                weights.part(0, 3).scaled(1, 2).origin());
        assertFalse(weights.part(1, 2).origin().isGone());
        Reference.reachabilityFence(memory);
    }
}
