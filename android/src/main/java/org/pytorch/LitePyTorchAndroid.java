package org.pytorch;

import android.content.res.AssetManager;

/**
 * The same as {@link PyTorchAndroid}, for models saved for the lite interpreter, of which byte code runs: both kinds of
 * file load with both.
 */
public final class LitePyTorchAndroid {
    private LitePyTorchAndroid() {}

    /** See {@link PyTorchAndroid#loadModuleFromAsset(AssetManager, String)}. */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName) {
        return LiteModuleLoader.loadModuleFromAsset(assetManager, assetName);
    }

    /** See {@link PyTorchAndroid#loadModuleFromAsset(AssetManager, String, Device)}. */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName, Device device) {
        return LiteModuleLoader.loadModuleFromAsset(assetManager, assetName, device);
    }

    /** See {@link PyTorchAndroid#setNumThreads}. */
    public static void setNumThreads(int numThreads) {
        PyTorchAndroid.setNumThreads(numThreads);
    }
}
