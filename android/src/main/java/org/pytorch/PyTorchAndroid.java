package org.pytorch;

import android.content.res.AssetManager;
import org.torchnnapi.engine.CpuThreads;

/** Models among an app's assets, and settings of the whole process. */
public final class PyTorchAndroid {
    /**
     * As {@link #loadModuleFromAsset(AssetManager, String, Device)}, on the CPU or for converted models what devices
     * there are.
     */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName) {
        return loadModuleFromAsset(assetManager, assetName, Device.CPU);
    }

    /**
     * Loads a model from an app's assets. One that the app's file holds uncompressed is mapped and not copied (in
     * Gradle: {@code androidResources.noCompress}).
     *
     * @throws IllegalArgumentException if there is no such asset, or it is no sound model
     */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName, Device device) {
        return Assets.load(assetManager, assetName, device, false);
    }

    /**
     * Sets the number of threads that all modules compute with.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public static void setNumThreads(int numThreads) {
        if (numThreads < 1) {
            throw new IllegalArgumentException("Number of threads cannot be less than 1");
        }
        CpuThreads.set(numThreads);
    }
}
