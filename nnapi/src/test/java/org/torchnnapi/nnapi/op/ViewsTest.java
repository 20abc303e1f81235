package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;

/** {@link FloatView}, {@link IntView} and the {@link OperandValue} that owns them. */
class ViewsTest {
    private static OperandValue value(OperandDescriptor descriptor) {
        OperandValue value = new OperandValue(descriptor);
        value.resize(descriptor.dimensions());
        return value;
    }

    @Test
    void quantizedValuesRoundHalfToEvenAndSaturate() {
        OperandValue value = value(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 10, 5));
        float[] reals = {0.25f, -0.75f, 1000f, -1000f, 0f};
        int[] stored = {10, 8, 255, 0, 10};
        for (int i = 0; i < reals.length; i++) {
            value.floats().set(i, reals[i]);
            assertEquals(stored[i], value.ints().get(i));
        }
        assertEquals(-1f, value.floats().get(1));
    }

    @Test
    void channelsHaveTheirOwnScale() {
        OperandValue value =
                value(OperandDescriptor.perChannel(new ChannelQuantization(1, new float[] {1f, 10f}), 2, 2, 2));
        for (int i = 0; i < 8; i++) {
            value.ints().set(i, 1);
        }
        assertEquals(1f, value.floats().get(1));
        assertEquals(10f, value.floats().get(2));
        assertEquals(1f, value.floats().get(4));
        assertEquals(10f, value.floats().get(7));
    }

    @Test
    void halfIsRoundedWhenWritten() {
        OperandValue value = value(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 1));
        value.floats().set(0, 1f + 0x1p-12f);
        assertEquals(1f, value.floats().get(0));
        assertEquals(0x3C00, value.ints().get(0));
    }

    @Test
    void wideAndSignedElements() {
        OperandValue wide = value(OperandDescriptor.quantized(OperandType.TENSOR_QUANT16_ASYMM, 1f, 0, 1));
        wide.ints().setSaturated(0, 70_000);
        assertEquals(65_535, wide.ints().get(0));
        OperandValue bool = value(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        bool.ints().set(0, 0x80);
        assertEquals(1, bool.ints().get(0), "any other byte than 0 is true");
    }

    @Test
    void rawBytesAreLittleEndianWhateverTheirOrder() {
        ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.BIG_ENDIAN);
        bytes.put(4, (byte) 1).position(4);
        assertEquals(1, ((IntBuffer) OperandBuffers.view(OperandType.TENSOR_INT32, bytes)).get(0));
        assertThrows(
                NnapiException.class, () -> OperandBuffers.view(OperandType.TENSOR_FLOAT16, FloatBuffer.allocate(1)));
        assertThrows(NnapiException.class, () -> OperandBuffers.view(OperandType.TENSOR_FLOAT32, null));
    }

    @Test
    void shapesMustFitModelMemoryAndJava() {
        OperandValue open = new OperandValue(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0, 2));
        NnapiException contradiction = assertThrows(NnapiException.class, () -> open.resize(2, 3));
        assertEquals(ResultCode.BAD_DATA, contradiction.resultCode());
        NnapiException huge = assertThrows(NnapiException.class, () -> open.resize(Integer.MAX_VALUE, 2));
        assertEquals(ResultCode.OUT_OF_MEMORY, huge.resultCode());
        open.setData(FloatBuffer.allocate(3), false);
        NnapiException small = assertThrows(NnapiException.class, () -> open.resize(2, 2));
        assertEquals(ResultCode.OUTPUT_INSUFFICIENT_SIZE, small.resultCode());
        assertEquals(4, open.count(), "the shape is known all the same");
    }
}
