package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NumberTableTest {
    @Test
    void isItsFunction() {
        AtomicInteger computed = new AtomicInteger();
        NumberTable table = new NumberTable(x -> {
            computed.getAndIncrement();
            return ~x;
        });
        for (int time = 0; time < 2; time++) {
            for (int x = Short.MIN_VALUE; x <= Short.MAX_VALUE; x++) {
                assertEquals(~x, table.at(x));
            }
        }
        // Zeros are computed again.
        assertEquals((1 << Short.SIZE) + 1, computed.get());
    }
}
