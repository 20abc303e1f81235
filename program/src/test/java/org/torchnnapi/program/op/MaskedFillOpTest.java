package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

class MaskedFillOpTest {
    private static ValueType mask(int... shape) {
        return ValueType.bytes(new ByteQuantization(Element.UINT8, 1, 0), shape);
    }

    @Test
    void masksAreBroadcast() {
        int[][] shapes = {{2, 3, 5}, {3, 5}, {5}, {2, 1, 5}, {3, 1}, {1, 1, 1}, {2, 1, 1}};
        for (int[] shape : shapes) {
            for (boolean where : new boolean[] {false, true}) {
                GraphBuilder graph = new GraphBuilder();
                int x = graph.input(ValueType.floats(2, 3, 5), ImageStorage.DECLARED);
                int marks = graph.input(mask(shape), ImageStorage.DECLARED);
                graph.output(graph.add(new MaskedFillOp(-1, where), x, marks), ImageStorage.DECLARED);
                byte[] given = new byte[mask(shape).count()];
                for (int i = 0; i < given.length; i++) {
                    given[i] = (byte) (i * 5 % 3);
                }
                float[] in = new float[30];
                float[] out = new float[30];
                for (int i = 0; i < 30; i++) {
                    in[i] = i;
                }
                Plain.shared(graph.build())
                        .newRun()
                        .execute(
                                new Buffer[] {FloatBuffer.wrap(in), ByteBuffer.wrap(given)},
                                new Buffer[] {FloatBuffer.wrap(out)},
                                () -> {});
                for (int i = 0; i < 30; i++) {
                    int[] at = {i / 15, i / 5 % 3, i % 5};
                    int from = 0;
                    for (int k = 0; k < shape.length; k++) {
                        from = from * shape[k] + at[3 - shape.length + k] % shape[k];
                    }
                    assertEquals(given[from] != 0 == where ? -1 : i, out[i], "element " + i);
                }
            }
        }
    }

    @Test
    void refusesMasksThatDoNotFit() {
        MaskedFillOp fill = new MaskedFillOp(0, true);
        assertThrows(IllegalArgumentException.class, () -> fill.result(List.of(ValueType.floats(3), mask(2, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> fill.result(List.of(ValueType.floats(2, 3), ValueType.floats(2, 3))));
    }
}
