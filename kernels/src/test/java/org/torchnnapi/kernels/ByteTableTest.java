package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteTableTest {
    private static final int STEP = 200;
    private static final int ROWS = 3;
    private static final QuantizedSum SUM =
            QuantizedSum.fixedPoint(0.02f, 7, 0.03f, 20, false, 0.04f, 30, false, 0, 255);

    private final Random random = new Random(4);
    private final byte[] table = Twins.randomBytes(random, 256);
    private final byte[] bytes = Twins.randomBytes(random, ROWS * STEP + 1L);
    private final byte[] residual = Twins.randomBytes(random, ROWS * STEP + 2L);

    /** Around the vectors of every level; what lies between rows stays. */
    @ParameterizedTest
    @ValueSource(ints = {1, 15, 31, 33, 63, 64, 65, 130, STEP})
    void rowsAreLookedUp(int count) {
        byte[] expected = bytes.clone();
        for (int i = 0; i < ROWS * STEP; i++) {
            if (i % STEP < count) {
                expected[1 + i] = table[bytes[1 + i] & 0xff];
            }
        }
        byte[] actual = bytes.clone();
        new ByteTable(table).finish(null, 0, actual, 1, count, ROWS, STEP);
        assertArrayEquals(expected, actual);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 100})
    void aSumComesBehind(int count) {
        byte[] expected = bytes.clone();
        new ByteTable(table).finish(null, 0, expected, 1, count, ROWS, STEP);
        SUM.finish(residual, 2, expected, 1, count, ROWS, STEP);
        byte[] actual = bytes.clone();
        ByteTable.before(table, SUM).finish(residual, 2, actual, 1, count, ROWS, STEP);
        assertArrayEquals(expected, actual);
        assertSame(SUM, ByteTable.before(null, SUM));
        assertNull(ByteTable.before(null, null));
    }
}
