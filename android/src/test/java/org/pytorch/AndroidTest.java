package org.pytorch;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import android.app.Application;
import android.content.res.AssetManager;
import android.graphics.Bitmap;
import android.graphics.ImageFormat;
import android.graphics.Rect;
import android.media.Image;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.pytorch.torchvision.TensorImageUtils;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.GraphicsMode;

/** What the library adds on Android, with Android's own classes on the JVM. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 33, application = Application.class)
@GraphicsMode(GraphicsMode.Mode.LEGACY)
public class AndroidTest {
    private static final float[] NONE = {0, 0, 0};
    private static final float[] ONE = {1, 1, 1};

    /** The app's assets: one model as it is, the other compressed. */
    @SuppressWarnings("deprecation") // Nothing else adds assets by a path.
    private static AssetManager assets() {
        AssetManager assets = RuntimeEnvironment.getApplication().getAssets();
        try {
            File app = File.createTempFile("app", ".apk");
            app.deleteOnExit();
            try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(app.toPath()))) {
                for (String name : new String[] {"host-model.pt", "host-model.ptl"}) {
                    byte[] model = Files.readAllBytes(Paths.get("../pytorch-api/src/test/resources/org/pytorch", name));
                    ZipEntry entry = new ZipEntry("assets/" + name);
                    if (name.endsWith("l")) {
                        CRC32 crc = new CRC32();
                        crc.update(model);
                        entry.setMethod(ZipEntry.STORED);
                        entry.setSize(model.length);
                        entry.setCrc(crc.getValue());
                    }
                    out.putNextEntry(entry);
                    out.write(model);
                }
            }
            if (assets.addAssetPath(app.getPath()) == 0) {
                throw new IllegalStateException(app + " is no app");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return assets;
    }

    @Test
    public void assetsLoadAndRun() {
        for (String name : new String[] {"host-model.pt", "host-model.ptl"}) {
            Module module = PyTorchAndroid.loadModuleFromAsset(assets(), name);
            Module lite = LiteModuleLoader.loadModuleFromAsset(assets(), name, Device.VULKAN);
            assertArrayEquals(
                    new double[] {1, 3},
                    module.runMethod("doubled", IValue.listFrom(0.5, 1.5)).toDoubleList(),
                    0);
            Tensor tensor = Tensor.fromBlob(new float[] {1, -2, 3}, new long[] {3});
            assertArrayEquals(
                    new float[] {1, -2, 3},
                    lite.runMethod("same_tensor", IValue.from(tensor))
                            .toTensor()
                            .getDataAsFloatArray(),
                    0);
            module.destroy();
        }
    }

    @Test
    public void missingAssetsAreNamed() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> LitePyTorchAndroid.loadModuleFromAsset(assets(), "none.pt"));
        assertEquals(
                e.getMessage(),
                "asset: none.pt (expected: one of the app's assets;",
                e.getMessage().substring(0, 50));
        assertThrows(IllegalArgumentException.class, () -> PyTorchAndroid.loadModuleFromAsset(null, "none.pt"));
        assertThrows(IllegalArgumentException.class, () -> PyTorchAndroid.loadModuleFromAsset(assets(), null));
        assertThrows(IllegalArgumentException.class, () -> PyTorchAndroid.setNumThreads(0));
    }

    @Test
    public void bitmapsBecomeTensors() {
        Bitmap bitmap = Bitmap.createBitmap(
                new int[] {0xFF000000, 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFFFF, 0xFF804020},
                3,
                2,
                Bitmap.Config.ARGB_8888);
        Tensor whole = TensorImageUtils.bitmapToFloat32Tensor(bitmap, NONE, ONE);
        assertArrayEquals(new long[] {1, 3, 2, 3}, whole.shape());
        assertArrayEquals(
                new float[] {0, 1, 0, 0, 1, 128 / 255f, 0, 0, 1, 0, 1, 64 / 255f, 0, 0, 0, 1, 1, 32 / 255f},
                whole.getDataAsFloatArray(),
                1e-7f);
        Tensor part = TensorImageUtils.bitmapToFloat32Tensor(bitmap, 1, 1, 2, 1, NONE, ONE, MemoryFormat.CHANNELS_LAST);
        assertEquals(MemoryFormat.CHANNELS_LAST, part.memoryFormat());
        FloatBuffer buffer = Tensor.allocateFloatBuffer(8);
        TensorImageUtils.bitmapToFloatBuffer(bitmap, 1, 1, 2, 1, NONE, ONE, buffer, 2, MemoryFormat.CHANNELS_LAST);
        float[] expected = {0, 0, 1, 1, 1, 128 / 255f, 64 / 255f, 32 / 255f};
        for (int i = 2; i < 8; i++) {
            assertEquals(expected[i], buffer.get(i), 1e-7f);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap, new float[2], ONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap, NONE, ONE, MemoryFormat.CHANNELS_LAST_3D));
        assertThrows(
                IllegalArgumentException.class,
                () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap, 2, 0, 2, 1, NONE, ONE));
        assertThrows(
                IllegalStateException.class,
                () -> TensorImageUtils.bitmapToFloatBuffer(
                        bitmap, 0, 0, 3, 2, NONE, ONE, Tensor.allocateFloatBuffer(17), 0));
    }

    /** Turned, an image of bright and dark quarters has them where a turned photograph has. */
    @Test
    public void cameraImagesAreCroppedTurnedAndScaled() {
        Image image = new Camera(8, 4, (x, y) -> x < 4 ? (y < 2 ? 16 : 60) : y < 2 ? 120 : 235);
        float dark = 0;
        float upperRight = (1192 * 104 >> 10) / 255f;
        float lowerLeft = (1192 * 44 >> 10) / 255f;
        float bright = 254 / 255f;
        assertArrayEquals(new float[] {dark, upperRight, lowerLeft, bright}, turned(image, 0, 2, 2), 1e-6f);
        assertArrayEquals(new float[] {lowerLeft, dark, bright, upperRight}, turned(image, 90, 2, 2), 1e-6f);
        assertArrayEquals(new float[] {bright, lowerLeft, upperRight, dark}, turned(image, 180, 2, 2), 1e-6f);
        assertArrayEquals(new float[] {upperRight, bright, dark, lowerLeft}, turned(image, 270, 2, 2), 1e-6f);
        assertArrayEquals(
                new long[] {1, 3, 2, 5},
                TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(
                                image, 90, 5, 2, NONE, ONE, MemoryFormat.CHANNELS_LAST)
                        .shape());
        assertThrows(IllegalArgumentException.class, () -> turned(image, 45, 2, 2));
        assertThrows(IllegalArgumentException.class, () -> turned(image, 0, 0, 2));
        FloatBuffer small = Tensor.allocateFloatBuffer(11);
        assertThrows(
                IllegalStateException.class,
                () -> TensorImageUtils.imageYUV420CenterCropToFloatBuffer(image, 0, 2, 2, NONE, ONE, small, 0));
    }

    /** Red of each pixel; the image is grey. */
    private static float[] turned(Image image, int degrees, int width, int height) {
        float[] all = TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(image, degrees, width, height, NONE, ONE)
                .getDataAsFloatArray();
        float[] red = Arrays.copyOf(all, width * height);
        assertArrayEquals(red, Arrays.copyOfRange(all, width * height, 2 * width * height), 0);
        return red;
    }

    private interface Luma {
        int at(int x, int y);
    }

    /** A grey image whose rows have padding and whose colour planes are interleaved, as cameras give them. */
    private static final class Camera extends Image {
        private final int width;
        private final int height;
        private final Plane[] planes;

        Camera(int width, int height, Luma luma) {
            this.width = width;
            this.height = height;
            ByteBuffer y = ByteBuffer.allocateDirect((width + 3) * height);
            for (int i = 0; i < width * height; i++) {
                y.put(i / width * (width + 3) + i % width, (byte) luma.at(i % width, i / width));
            }
            ByteBuffer colour = ByteBuffer.allocateDirect(width * height);
            for (int i = 0; i < colour.capacity(); i++) {
                colour.put(i, (byte) 128);
            }
            planes = new Plane[] {plane(y, width + 3, 1), plane(colour, width, 2), plane(colour, width, 2)};
        }

        private static Plane plane(ByteBuffer bytes, int rowStride, int pixelStride) {
            return new Plane() {
                @Override
                public int getRowStride() {
                    return rowStride;
                }

                @Override
                public int getPixelStride() {
                    return pixelStride;
                }

                @Override
                public ByteBuffer getBuffer() {
                    return bytes;
                }
            };
        }

        @Override
        public int getFormat() {
            return ImageFormat.YUV_420_888;
        }

        @Override
        public int getWidth() {
            return width;
        }

        @Override
        public int getHeight() {
            return height;
        }

        @Override
        public long getTimestamp() {
            return 0;
        }

        @Override
        public int getTransform() {
            return 0;
        }

        @Override
        public int getScalingMode() {
            return 0;
        }

        @Override
        public Plane[] getPlanes() {
            return planes;
        }

        @Override
        public Rect getCropRect() {
            return new Rect(0, 0, width, height);
        }

        @Override
        public void close() {}
    }
}
