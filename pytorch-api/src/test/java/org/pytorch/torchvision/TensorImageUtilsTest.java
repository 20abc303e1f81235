package org.pytorch.torchvision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.pytorch.MemoryFormat;
import org.pytorch.Tensor;

class TensorImageUtilsTest {
    private static final int[] PIXELS = {0xFFFF0000, 0xFF0033FF};
    private static final float[] ZERO = {0, 0, 0};
    private static final float[] ONE = {1, 1, 1};

    @Test
    void channelsAreScaledAndOrdered() {
        Tensor planes = TensorImageUtils.pixelsToFloat32Tensor(PIXELS, 2, 1, ZERO, ONE);
        assertArrayEquals(new long[] {1, 3, 1, 2}, planes.shape());
        assertArrayEquals(new float[] {1, 0, 0, 0.2f, 0, 1}, planes.getDataAsFloatArray());
        Tensor interleaved =
                TensorImageUtils.pixelsToFloat32Tensor(PIXELS, 2, 1, ZERO, ONE, MemoryFormat.CHANNELS_LAST);
        assertArrayEquals(new float[] {1, 0, 0, 0, 0.2f, 1}, interleaved.getDataAsFloatArray());
        float[] normed = TensorImageUtils.pixelsToFloat32Tensor(
                        PIXELS,
                        1,
                        2,
                        TensorImageUtils.TORCHVISION_NORM_MEAN_RGB,
                        TensorImageUtils.TORCHVISION_NORM_STD_RGB)
                .getDataAsFloatArray();
        assertEquals((1 - 0.485f) / 0.229f, normed[0], 1e-6f);
    }

    @Test
    void wrongArgumentsHavePyTorchsMessages() {
        assertEquals(
                "normMeanRGB length must be 3",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> TensorImageUtils.pixelsToFloat32Tensor(PIXELS, 2, 1, new float[2], ONE))
                        .getMessage());
        assertEquals(
                "normStdRGB length must be 3",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> TensorImageUtils.pixelsToFloat32Tensor(PIXELS, 2, 1, ZERO, new float[4]))
                        .getMessage());
        assertEquals(
                "Unsupported memory format CHANNELS_LAST_3D",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> TensorImageUtils.pixelsToFloat32Tensor(
                                        PIXELS, 2, 1, ZERO, ONE, MemoryFormat.CHANNELS_LAST_3D))
                        .getMessage());
        assertEquals(
                "tensorHeight and tensorWidth must be positive",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> TensorImageUtils.pixelsToFloat32Tensor(PIXELS, 0, 1, ZERO, ONE))
                        .getMessage());
        assertEquals(
                "Buffer underflow",
                assertThrows(
                                IllegalStateException.class,
                                () -> TensorImageUtils.pixelsToFloatBuffer(
                                        PIXELS, 2, 1, ZERO, ONE, Tensor.allocateFloatBuffer(6), 1))
                        .getMessage());
    }
}
