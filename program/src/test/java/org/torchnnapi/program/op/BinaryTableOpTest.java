package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;

class BinaryTableOpTest {
    @Test
    void overShapesThatRepeat() {
        Random random = new Random(5);
        byte[] table = new byte[1 << 16];
        random.nextBytes(table);
        ByteQuantization output = ByteOps.QUANTIZATIONS[2];
        for (int[][] shapes : new int[][][] {{{131}, {131}}, {{3, 37}, {37}}, {{1}, {3, 37}}, {{3, 1}, {1, 37}}}) {
            List<ValueType> types = List.of(
                    ValueType.bytes(ByteOps.QUANTIZATIONS[0], shapes[0]),
                    ValueType.bytes(ByteOps.QUANTIZATIONS[1], shapes[1]));
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

    /** Products, which a kernel computes where there is one, by channels of images in either order too. */
    @Test
    void productsAreThoseOfTheTable() {
        Random random = new Random(6);
        ByteQuantization a = new ByteQuantization(Element.UINT8, 0.05f, 120);
        ByteQuantization b = new ByteQuantization(Element.UINT8, 1f / 256, 0);
        ByteQuantization output = new ByteQuantization(Element.UINT8, 0.03f, 99);
        byte[] table = new byte[1 << 16];
        float factor = a.scale() * b.scale() * (1 / output.scale());
        for (int i = 0; i < table.length; i++) {
            double steps = Math.rint((float) (((i >> 8) - 120) * (i & 0xff)) * factor);
            table[i] = (byte) Math.min(Math.max(steps + 99, 0), 255);
        }
        for (int[][] shapes : new int[][][] {
            {{131}, {131}},
            {{2, 37, 5, 3}, {2, 37, 1, 1}},
            {{2, 37, 5, 3}, {37, 1, 1}},
            {{2, 5, 3, 37}, {2, 1, 1, 37}},
            {{2, 5, 3, 37}, {1}},
            {{2, 5, 3, 1}, {2, 1, 3, 7}}
        }) {
            for (boolean turned : new boolean[] {false, true}) {
                int[] one = shapes[turned ? 1 : 0];
                int[] other = shapes[turned ? 0 : 1];
                List<ValueType> types = List.of(ValueType.bytes(a, one), ValueType.bytes(b, other));
                byte[] left = ByteOps.random(random, types.get(0));
                byte[] right = ByteOps.random(random, types.get(1));
                BinaryTableOp op = new BinaryTableOp(table, output);
                int[] shape = op.result(types).shape();
                byte[] actual = (byte[]) Ops.run(op, types, left, right);
                for (int i = 0; i < actual.length; i++) {
                    int[] places = Places.of(i, shape);
                    int at = (left[Places.index(places, one)] & 0xff) << 8 | right[Places.index(places, other)] & 0xff;
                    assertEquals(table[at], actual[i], types + " element " + i);
                }
            }
        }
    }
}
