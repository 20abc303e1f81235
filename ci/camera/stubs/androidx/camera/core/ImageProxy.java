package androidx.camera.core;

import java.nio.ByteBuffer;

public interface ImageProxy extends AutoCloseable {
    @Override
    void close();

    int getHeight();

    int getWidth();

    PlaneProxy[] getPlanes();

    ImageInfo getImageInfo();

    interface PlaneProxy {
        int getRowStride();

        int getPixelStride();

        ByteBuffer getBuffer();
    }
}
