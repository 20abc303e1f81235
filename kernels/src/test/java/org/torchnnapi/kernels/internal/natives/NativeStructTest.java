package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Kernels;

class NativeStructTest {
    @BeforeAll
    static void needsTheLibrary() {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
    }

    @Test
    void fieldsLieWhereCHasThem() {
        NativeMemory scale = NativeMemory.copyOf(1f);
        FloatActivationStruct activation =
                new FloatActivationStruct().min(-2).max(3.5f).function(1);
        NativeMemory struct = new FloatWinogradStruct()
                .weights(null)
                .bias(scale)
                .tile(1)
                .channels(2)
                .outs(3)
                .inH(4)
                .inW(5)
                .outH(6)
                .outW(7)
                .padTop(8)
                .padLeft(9)
                .bands(10)
                .chunk(11)
                .resumed(true)
                .activation(activation)
                .memory();
        ByteBuffer bytes = struct.bytes();
        int pointer = NativeLibrary.POINTER_BYTES;
        long bias = pointer == Long.BYTES ? bytes.getLong(pointer) : bytes.getInt(pointer);
        assertEquals(NativeMemory.address(scale), bias);
        for (int i = 0; i < 11; i++) {
            assertEquals(i + 1, bytes.getInt(2 * pointer + Integer.BYTES * i));
        }
        assertEquals(-2, bytes.getFloat(2 * pointer + 48));
        assertEquals(3.5f, bytes.getFloat(2 * pointer + 52));
        assertEquals(1, bytes.getInt(2 * pointer + 56));
    }

    @Test
    void longsBeginOnEight() {
        NativeMemory memory = new NativeMemory(WalkStruct.BYTES);
        new WalkStruct()
                .step(-1)
                .sequence(1L << 40)
                .sequences(3)
                .firstStep(4)
                .endStep(5)
                .firstBlock(6)
                .endBlock(7)
                .write(memory);
        assertEquals(-1, memory.bytes().getLong(0));
        assertEquals(1L << 40, memory.bytes().getLong(8));
        assertEquals(7, memory.bytes().getInt(32));
    }

    @Test
    void aFieldWithoutAValueIsRefused() {
        RequantizationStruct struct =
                new RequantizationStruct().scale(null).offset(null).rounding(null);
        assertEquals(
                "RequantizationStruct: field 2 of 4 has no value (expected: all of them are set)",
                assertThrows(IllegalStateException.class, struct::memory).getMessage());
    }
}
