package org.pytorch;

import android.content.res.AssetManager;
import java.util.Map;

/**
 * Loads models saved for the lite interpreter ({@code .ptl}): what runs is their byte code, as with PyTorch's own,
 * while {@link Module#load} runs the source that such files hold as well. Both kinds of file load with both.
 */
public class LiteModuleLoader {
    /** See {@link Module#load(String, Map, Device)}. */
    public static Module load(String modelPath, Map<String, String> extraFiles, Device device) {
        return Module.load(modelPath, extraFiles, device, true);
    }

    /** See {@link Module#load(String)}. */
    public static Module load(String modelPath) {
        return Module.load(modelPath, null, Device.CPU, true);
    }

    /** See {@link PyTorchAndroid#loadModuleFromAsset(AssetManager, String, Device)}. */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName, Device device) {
        return Assets.load(assetManager, assetName, device, true);
    }

    /** See {@link PyTorchAndroid#loadModuleFromAsset(AssetManager, String)}. */
    public static Module loadModuleFromAsset(AssetManager assetManager, String assetName) {
        return Assets.load(assetManager, assetName, Device.CPU, true);
    }
}
