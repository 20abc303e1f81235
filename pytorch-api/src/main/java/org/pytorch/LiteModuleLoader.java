package org.pytorch;

import java.util.Map;

/**
 * Loads models saved for the lite interpreter ({@code .ptl}): what runs is their byte code, as with PyTorch's own,
 * while {@link Module#load} runs the source that such files hold as well. Both kinds of file load with both.
 */
public class LiteModuleLoader {
    private LiteModuleLoader() {}

    /** See {@link Module#load(String, Map, Device)}. */
    public static Module load(String modelPath, Map<String, String> extraFiles, Device device) {
        return Module.load(modelPath, extraFiles, device, true);
    }

    /** See {@link Module#load(String)}. */
    public static Module load(String modelPath) {
        return Module.load(modelPath, null, Device.CPU, true);
    }
}
