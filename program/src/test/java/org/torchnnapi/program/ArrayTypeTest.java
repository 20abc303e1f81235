package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;

/** 32-bit numbers and flags in programs: given, moved, constant and taken. */
class ArrayTypeTest {
    @Test
    void numbersAndFlagsMoveAsOthersDo() {
        GraphBuilder builder = new GraphBuilder();
        int numbers = builder.input(ValueType.ints(2, 3), ImageStorage.DECLARED);
        int flags = builder.input(ValueType.flags(4), ImageStorage.DECLARED);
        int constant = builder.constant(ValueType.ints(2, 1), new int[] {Integer.MIN_VALUE, 7});
        int both = builder.add(new ConcatenationOp(1), numbers, constant);
        builder.output(builder.add(SliceOp.of(builder.type(both), 1, 2, 4), both), ImageStorage.DECLARED);
        builder.output(builder.add(new ReshapeOp(new int[] {2, 2}), flags), ImageStorage.DECLARED);
        builder.output(constant, ImageStorage.DECLARED);
        Program program = Plain.shared(builder.build());
        for (boolean direct : new boolean[] {false, true}) {
            IntBuffer in = direct ? ByteBuffer.allocateDirect(24).asIntBuffer() : IntBuffer.allocate(6);
            in.put(0, new int[] {1, 2, 3, 4, 5, 6});
            int[] cut = new int[4];
            byte[] turned = new byte[4];
            int[] same = new int[2];
            program.newRun()
                    .execute(
                            new Buffer[] {in, ByteBuffer.wrap(new byte[] {0, 1, 1, 0})},
                            new Buffer[] {IntBuffer.wrap(cut), ByteBuffer.wrap(turned), IntBuffer.wrap(same)},
                            () -> {});
            assertArrayEquals(new int[] {3, Integer.MIN_VALUE, 6, 7}, cut);
            assertArrayEquals(new byte[] {0, 1, 1, 0}, turned);
            assertArrayEquals(new int[] {Integer.MIN_VALUE, 7}, same);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> program.newRun()
                        .execute(
                                new Buffer[] {FloatBuffer.allocate(6), ByteBuffer.allocate(4)},
                                new Buffer[3],
                                () -> {}));
    }

    @Test
    void everyElementHasAStore() {
        for (Element element : Element.values()) {
            Object array = element.store().allocate(3);
            assertEquals(3, Array.getLength(array));
            assertEquals(element.isQuantized() || element == Element.BOOL8, array instanceof byte[]);
        }
        assertEquals(
                3,
                Arrays.stream(Element.values()).map(Element::store).distinct().count());
    }
}
