package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

class ArenaLayoutTest {
    @Test
    void chainNeedsRoomForTwo() {
        ArenaLayout layout = new ArenaLayout(64);
        for (int step = 0; step < 1000; step++) {
            layout.take(100, step + 1);
            layout.release(step);
        }
        assertEquals(2 * 128, layout.size());
    }

    @Test
    void valuesAliveTogetherNeverOverlap() {
        record Value(long offset, long bytes, int last) {}
        Random random = new Random(7);
        ArenaLayout layout = new ArenaLayout(64);
        List<Value> alive = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
            long bytes = random.nextInt(5000);
            int last = step + random.nextInt(20);
            long offset = layout.take(bytes, last);
            assertEquals(0, offset % 64);
            for (Value other : alive) {
                assertTrue(offset + bytes <= other.offset || other.offset + other.bytes <= offset, "step " + step);
            }
            alive.add(new Value(offset, bytes, last));
            layout.release(step);
            int now = step;
            alive.removeIf(value -> value.last <= now);
        }
        assertTrue(layout.size() < 40 * 5064L, layout.size() + " bytes");
    }

    @Test
    void noValueLiesInTwoChunks() {
        Random random = new Random(11);
        ArenaLayout layout = new ArenaLayout(64, 1024);
        long[] offsets = new long[500];
        long[] bytes = new long[offsets.length];
        for (int step = 0; step < offsets.length; step++) {
            bytes[step] = 1 + random.nextInt(1024);
            offsets[step] = layout.take(bytes[step], step + random.nextInt(10));
            assertEquals(offsets[step] / 1024, (offsets[step] + bytes[step] - 1) / 1024, "step " + step);
            layout.release(step);
        }
        ArenaMemory memory = new ArenaMemory(layout.size(), 1024);
        for (int step = 0; step < offsets.length; step++) {
            assertEquals(bytes[step], memory.slice(offsets[step], bytes[step]).capacity());
        }
        assertTrue(layout.size() > 1024 && layout.size() < 30 * 1024, layout.size() + " bytes");
        assertThrows(IllegalArgumentException.class, () -> layout.take(1025, 0));
    }

    @Test
    void bytesOfAShape() {
        assertEquals(24, ArenaLayout.bytes(new int[] {2, 3}, OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32)));
        assertEquals(0, ArenaLayout.bytes(new int[] {2, 0}, OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32)));
        assertEquals(2, ArenaLayout.bytes(new int[0], OperandDescriptor.scalar(OperandType.FLOAT16)));
    }
}
