package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;

class QuantizedAddOpTest {
    private static QuantizedSum rule(ByteQuantization a, ByteQuantization b, boolean subtract, ByteQuantization out) {
        return QuantizedSum.halfEven(
                a.scale(),
                a.zeroPoint(),
                b.scale(),
                b.zeroPoint(),
                subtract,
                out.scale(),
                out.zeroPoint(),
                out.element().isSigned(),
                out.element().min(),
                out.element().max());
    }

    @Test
    void sumsAndDifferencesOfWhatBytesStandFor() {
        Random random = new Random(7);
        for (Element element : new Element[] {Element.UINT8, Element.INT8}) {
            ByteQuantization a = new ByteQuantization(element, 0.07f, 11);
            ByteQuantization b = new ByteQuantization(element, 0.013f, 90);
            ByteQuantization out = new ByteQuantization(element, 0.09f, 60);
            for (int count : new int[] {1, 65, 16390}) {
                byte[] left = ByteOps.random(random, ValueType.bytes(a, count));
                byte[] right = ByteOps.random(random, ValueType.bytes(b, count));
                for (boolean subtract : new boolean[] {false, true}) {
                    byte[] expected = new byte[count];
                    byte[] limited = new byte[count];
                    for (int i = 0; i < count; i++) {
                        double x = steps(a, left[i]) * (double) a.scale();
                        double y = steps(b, right[i]) * (double) b.scale();
                        double sum = Math.rint((subtract ? x - y : x + y) / out.scale()) + out.zeroPoint();
                        expected[i] = (byte) Math.min(Math.max(sum, element.min()), element.max());
                        limited[i] = (byte) Math.min(Math.max(sum, 20), 100);
                    }
                    QuantizedAddOp add = new QuantizedAddOp(rule(a, b, subtract, out), out);
                    List<ValueType> types = List.of(ValueType.bytes(a, count), ValueType.bytes(b, count));
                    assertArrayEquals(expected, (byte[]) Ops.run(add, types, left, right));
                    assertArrayEquals(limited, (byte[]) Ops.run(add.limited(20, 100), types, left, right));
                }
            }
        }
    }

    private static int steps(ByteQuantization quantization, byte value) {
        return (quantization.element().isSigned() ? value : value & 0xff) - quantization.zeroPoint();
    }

    @Test
    void checksItsArguments() {
        ByteQuantization q = ByteOps.QUANTIZATIONS[0];
        QuantizedAddOp add = new QuantizedAddOp(rule(q, q, false, q), q);
        ValueType two = ValueType.bytes(q, 2);
        assertThrows(IllegalArgumentException.class, () -> add.result(List.of(two)));
        assertThrows(IllegalArgumentException.class, () -> add.result(List.of(two, ValueType.bytes(q, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> add.result(List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[1], 2), two)));
    }
}
