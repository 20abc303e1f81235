package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class TableOpTest {
    @Test
    void eachByteIsLookedUp() {
        Random random = new Random(6);
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            for (int count : new int[] {1, 67, 16389}) {
                ValueType type = ValueType.bytes(quantization, count);
                byte[] table = ByteOps.random(random, ValueType.bytes(quantization, 256));
                byte[] in = ByteOps.random(random, type);
                byte[] expected = new byte[count];
                for (int i = 0; i < count; i++) {
                    expected[i] = table[in[i] & 0xff];
                }
                assertArrayEquals(expected, ByteOps.run(new TableOp(table, quantization), type, in));
            }
        }
    }

    /** The bytes of {@code quantization}, each limited to [min, max]. */
    private static TableOp limiting(ByteQuantization quantization, int min, int max) {
        byte[] table = new byte[256];
        for (int i = quantization.element().min(); i <= quantization.element().max(); i++) {
            table[i & 0xff] = (byte) Math.min(Math.max(i, min), max);
        }
        return new TableOp(table, quantization);
    }

    @Test
    void limitsAreToldFromOtherFunctions() {
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            ValueType same = ValueType.bytes(quantization, 2);
            TableOp limiting = limiting(quantization, 3, 100);
            assertArrayEquals(new int[] {3, 100}, limiting.limits(same));
            assertArrayEquals(new int[] {5, 90}, ((TableOp) limiting.limited(5, 90)).limits(same));
            assertNull(limiting.limits(
                    ValueType.bytes(new ByteQuantization(quantization.element(), quantization.scale() * 2, 1), 2)));
            limiting.table()[50]++;
            assertNull(limiting.limits(same));
        }
    }

    @Test
    void checksItsArguments() {
        ByteQuantization quantization = ByteOps.QUANTIZATIONS[0];
        assertThrows(IllegalArgumentException.class, () -> new TableOp(new byte[255], quantization));
        assertThrows(
                IllegalArgumentException.class,
                () -> limiting(quantization, 0, 9).result(List.of(ValueType.floats(2))));
    }
}
