package org.torchnnapi.program.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.TableOp;

class TableFusionTest {
    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.05f, 117);

    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(2);
    private final byte[] first = bytes(256);
    private final byte[] second = bytes(256);

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private int input(int... shape) {
        return graph.input(ValueType.bytes(BYTES, shape), ImageStorage.DECLARED);
    }

    /** The operation that makes the value, after the pass, and what it reads. */
    private OpGraph.Node fused(int value) {
        graph.output(value, ImageStorage.DECLARED);
        MutableGraph draft = new MutableGraph(graph.build());
        new TableFusion().run(draft);
        return draft.nodes().stream()
                .filter(node -> node.output() == value)
                .findFirst()
                .get();
    }

    private static byte[] table(OpGraph.Node node, int source) {
        assertEquals(List.of(source), List.of(node.inputs()[0]));
        assertEquals(1, node.inputs().length);
        return ((TableOp) node.op()).table();
    }

    @Test
    void tablesBehindEachOtherAreOne() {
        int x = input(3, 5);
        int made = graph.add(new TableOp(second, BYTES), graph.add(new TableOp(first, BYTES), x));
        byte[] fused = table(fused(made), x);
        for (int i = 0; i < 256; i++) {
            assertEquals(second[first[i] & 0xff], fused[i]);
        }
    }

    @Test
    void productsAndSumsOfTablesOfOneValueAreOne() {
        byte[] pairs = bytes(1 << 16);
        int x = input(3, 5);
        int made = graph.add(new BinaryTableOp(pairs, BYTES), x, graph.add(new TableOp(first, BYTES), x));
        byte[] fused = table(fused(made), x);
        for (int i = 0; i < 256; i++) {
            assertEquals(pairs[i << 8 | first[i] & 0xff], fused[i]);
        }
        QuantizedSum rule = QuantizedSum.fixedPoint(0.05f, 117, 0.05f, 117, false, 0.05f, 117, false, 0, 255);
        int y = input(7);
        int sum = graph.add(new QuantizedAddOp(rule, BYTES), graph.add(new TableOp(first, BYTES), y), y);
        fused = table(fused(sum), y);
        for (int i = 0; i < 256; i++) {
            assertEquals((byte) rule.apply(first[i] & 0xff, i), fused[i]);
        }
    }

    @Test
    void ofTwoValuesStay() {
        int x = input(3, 5);
        int y = input(3, 5);
        int made = graph.add(new BinaryTableOp(bytes(1 << 16), BYTES), graph.add(new TableOp(first, BYTES), x), y);
        assertTrue(fused(made).op() instanceof BinaryTableOp);
    }
}
