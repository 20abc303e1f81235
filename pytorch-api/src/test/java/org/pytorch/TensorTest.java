package org.pytorch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class TensorTest {
    private static void refused(String message, Executable action) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, action).getMessage());
    }

    @Test
    void argumentsAreCheckedWithPyTorchsMessages() {
        long[] two = {2};
        refused("Data array must be not null", () -> Tensor.fromBlob((float[]) null, two));
        refused("Data buffer must be not null", () -> Tensor.fromBlob((FloatBuffer) null, two));
        refused("Shape must be not null", () -> Tensor.fromBlob(new float[2], null));
        refused("Shape must be not null", () -> Tensor.numel(null));
        refused("Shape elements must be non negative", () -> Tensor.fromBlob(new float[2], new long[] {-1, 2}));
        refused(
                "Inconsistent data capacity:3 and shape number elements:2 shape:[2]",
                () -> Tensor.fromBlob(new long[3], two));
        refused(
                "Inconsistent data capacity:2 and shape number elements:6 shape:[2, 3]",
                () -> Tensor.fromBlob(Tensor.allocateIntBuffer(2), new long[] {2, 3}));
        refused(
                "Data buffer must be direct (java.nio.ByteBuffer#allocateDirect)",
                () -> Tensor.fromBlob(FloatBuffer.allocate(2), two));
        ByteOrder other =
                ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        refused(
                "Data buffer must have native byte order (java.nio.ByteOrder#nativeOrder)",
                () -> Tensor.fromBlob(ByteBuffer.allocateDirect(8).order(other).asFloatBuffer(), two));
    }

    @Test
    void arraysAreCopiedAndBuffersAreNot() {
        float[] array = {1, 2};
        Tensor copied = Tensor.fromBlob(array, new long[] {2});
        array[0] = 9;
        assertArrayEquals(new float[] {1, 2}, copied.getDataAsFloatArray());
        FloatBuffer buffer = Tensor.allocateFloatBuffer(2);
        Tensor aliased = Tensor.fromBlob(buffer, new long[] {2});
        buffer.put(0, 9);
        assertArrayEquals(new float[] {9, 0}, aliased.getDataAsFloatArray());
        assertNotSame(aliased.getDataAsFloatArray(), aliased.getDataAsFloatArray());
    }

    @Test
    void shapeIsACopy() {
        long[] shape = {2};
        Tensor tensor = Tensor.fromBlob(new int[2], shape);
        shape[0] = 5;
        tensor.shape()[0] = 7;
        assertArrayEquals(new long[] {2}, tensor.shape());
        assertEquals(2, tensor.numel());
        assertEquals(1, Tensor.numel(new long[0]));
        assertEquals(0, Tensor.numel(new long[] {3, 0}));
    }

    @Test
    void everyTypeGivesItsArrayAndOnlyThat() {
        long[] one = {1};
        assertArrayEquals(
                new byte[] {-1}, Tensor.fromBlobUnsigned(new byte[] {-1}, one).getDataAsUnsignedByteArray());
        assertArrayEquals(new byte[] {-1}, Tensor.fromBlob(new byte[] {-1}, one).getDataAsByteArray());
        assertArrayEquals(new int[] {7}, Tensor.fromBlob(new int[] {7}, one).getDataAsIntArray());
        assertArrayEquals(new long[] {7}, Tensor.fromBlob(new long[] {7}, one).getDataAsLongArray());
        assertArrayEquals(
                new double[] {7}, Tensor.fromBlob(new double[] {7}, one).getDataAsDoubleArray());
        Tensor tensor = Tensor.fromBlob(new float[] {7}, one);
        assertEquals(
                "Tensor of type Tensor_float32 cannot return data as byte array.",
                assertThrows(IllegalStateException.class, tensor::getDataAsByteArray)
                        .getMessage());
        assertEquals(
                "Tensor of type Tensor_float32 cannot return data as byte array.",
                assertThrows(IllegalStateException.class, tensor::getDataAsUnsignedByteArray)
                        .getMessage());
        assertEquals(
                "Tensor of type Tensor_float32 cannot return data as long array.",
                assertThrows(IllegalStateException.class, tensor::getDataAsLongArray)
                        .getMessage());
        assertEquals(
                "Tensor of type Tensor_int8 cannot return data as float array.",
                assertThrows(IllegalStateException.class, Tensor.fromBlob(new byte[1], one)::getDataAsFloatArray)
                        .getMessage());
    }

    @Test
    void textIsPyTorchs() {
        assertEquals(
                "Tensor([2, 3], dtype=torch.float32)",
                Tensor.fromBlob(new float[6], new long[] {2, 3}).toString());
        assertEquals(
                "Tensor([], dtype=torch.uint8)",
                Tensor.fromBlobUnsigned(new byte[1], new long[0]).toString());
    }

    @Test
    void formatsSurviveTheWayThroughTheRuntime() {
        long[] data = {1, 11, 101, 2, 12, 102, 3, 13, 103, 4, 14, 104};
        Tensor tensor = Tensor.fromBlob(data, new long[] {1, 3, 2, 2}, MemoryFormat.CHANNELS_LAST);
        org.torchnnapi.tensor.Tensor runtime = TensorValues.toRuntime(tensor, null);
        assertEquals(2, runtime.getLong(1));
        Tensor back = TensorValues.fromRuntime(runtime);
        assertEquals(MemoryFormat.CHANNELS_LAST, back.memoryFormat());
        assertArrayEquals(data, back.getDataAsLongArray());
    }

    @Test
    void stridedResultsBecomeContiguous() {
        org.torchnnapi.tensor.Tensor base = org.torchnnapi.tensor.Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
        assertArrayEquals(
                new float[] {1, 4, 2, 5, 3, 6},
                TensorValues.fromRuntime(base.permute(1, 0)).getDataAsFloatArray());
        assertArrayEquals(
                new float[] {4, 5},
                TensorValues.fromRuntime(base.asStrided(new int[] {2}, new int[] {1}, 3))
                        .getDataAsFloatArray());
    }

    @Test
    void whatAModelWritesReachesTheBuffer() {
        FloatBuffer buffer = Tensor.allocateFloatBuffer(2);
        Tensor tensor = Tensor.fromBlob(buffer, new long[] {2});
        org.torchnnapi.tensor.Tensor runtime = TensorValues.toRuntime(tensor, null);
        runtime.storage().floatArray()[1] = 5;
        TensorValues.writeBack(runtime, tensor);
        assertEquals(5, buffer.get(1));
    }

    @Test
    void unsupportedElementTypesAreNamed() {
        org.torchnnapi.tensor.Tensor half = org.torchnnapi.tensor.Tensor.zeros(org.torchnnapi.tensor.DType.FLOAT16, 1);
        refused("at::Tensor scalar type float16 is not supported on java side", () -> TensorValues.fromRuntime(half));
    }
}
