package org.pytorch;

import android.content.res.AssetFileDescriptor;
import android.content.res.AssetManager;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.torchnnapi.tensor.platform.InputStreams;

/** Models among an app's assets. */
final class Assets {
    private Assets() {}

    /** @param lite whether byte code runs where the model has any */
    static Module load(AssetManager assets, String name, Device device, boolean lite) {
        if (assets == null || name == null) {
            throw new IllegalArgumentException(
                    "asset: " + name + " of " + assets + " (expected: an app's assets and the name of one of them)");
        }
        ByteBuffer model;
        try {
            model = content(assets, name);
        } catch (IOException e) {
            throw new IllegalArgumentException("asset: " + name + " (expected: one of the app's assets; " + e + ")", e);
        }
        return Module.load(model, null, device, lite);
    }

    /** An asset that lies in the app's file as it is, is mapped; one that is compressed there is unpacked. */
    private static ByteBuffer content(AssetManager assets, String name) throws IOException {
        try (AssetFileDescriptor asset = assets.openFd(name);
                FileChannel file = asset.createInputStream().getChannel()) {
            return file.map(FileChannel.MapMode.READ_ONLY, asset.getStartOffset(), asset.getLength());
        } catch (FileNotFoundException compressed) {
            try (InputStream in = assets.open(name)) {
                return ByteBuffer.wrap(InputStreams.readAll(in));
            }
        }
    }
}
