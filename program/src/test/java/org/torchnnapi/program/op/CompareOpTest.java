package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.CompareOp.Relation;

/** Against the comparison of doubles, over shapes that repeat. */
class CompareOpTest {
    private static boolean plain(Relation relation, double a, double b) {
        int order = Double.compare(a, b);
        return switch (relation) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case LESS_EQUAL -> order <= 0;
            case GREATER -> order > 0;
            case GREATER_EQUAL -> order >= 0;
        };
    }

    @ParameterizedTest
    @EnumSource(Relation.class)
    void ofEveryElement(Relation relation) {
        Random random = new Random(1);
        for (ValueType[] types : new ValueType[][] {
            {ValueType.floats(3, 37), ValueType.floats(37)},
            {ValueType.ints(3, 37), ValueType.ints(3, 1)},
            {ValueType.flags(5), ValueType.flags(5)},
            {ValueType.bytes(ByteOps.QUANTIZATIONS[0], 3, 37), ValueType.bytes(ByteOps.QUANTIZATIONS[2], 1)}
        }) {
            Object a = Ops.random(random, types[0]);
            Object b = Ops.random(random, types[1]);
            byte[] actual = (byte[]) Ops.run(new CompareOp(relation), List.of(types), a, b);
            for (int i = 0; i < actual.length; i++) {
                int j = types[1].rank() == 2 ? i / 37 : i % types[1].count();
                assertEquals(
                        plain(relation, real(types[0], a, i), real(types[1], b, j)),
                        actual[i] == 1,
                        types[0] + " element " + i);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new CompareOp(relation).result(List.of(ValueType.floats(2), ValueType.ints(2))));
    }

    private static double real(ValueType type, Object data, int at) {
        // 0.0 is not -0.0 to Double.compare.
        return data instanceof float[] floats
                ? floats[at] + 0.0
                : data instanceof int[] ints
                        ? ints[at]
                        : type.isQuantized()
                                ? ByteOps.real(type.quantization(), ((byte[]) data)[at]) + 0.0
                                : ((byte[]) data)[at];
    }
}
