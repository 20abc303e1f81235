package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class BinaryTableOpTest {
    @Test
    void overShapesThatRepeat() {
        Random random = new Random(5);
        byte[] table = new byte[1 << 16];
        random.nextBytes(table);
        ByteQuantization output = ByteOps.QUANTIZATIONS[2];
        for (int[][] shapes : new int[][][] {{{131}, {131}}, {{3, 37}, {37}}, {{1}, {3, 37}}, {{3, 1}, {1, 37}}}) {
            List<ValueType> types = List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[0], shapes[0]), ValueType.bytes(ByteOps.QUANTIZATIONS[1], shapes[1]));
            byte[] a = ByteOps.random(random, types.get(0));
            byte[] b = ByteOps.random(random, types.get(1));
            BinaryTableOp op = new BinaryTableOp(table, output);
            int[] shape = op.result(types).shape();
            byte[] actual = (byte[]) Ops.run(op, types, a, b);
            for (int i = 0; i < actual.length; i++) {
                int[] places = Places.of(i, shape);
                int at = (a[Places.index(places, shapes[0])] & 0xff) << 8 | b[Places.index(places, shapes[1])] & 0xff;
                assertEquals(table[at], actual[i], types + " element " + i);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new BinaryTableOp(new byte[256], output));
    }
}
