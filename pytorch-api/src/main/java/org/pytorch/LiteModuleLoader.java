package org.pytorch;

import java.util.Map;

/**
 * Loads models saved for the lite interpreter ({@code .ptl}): what runs is their byte code, as with PyTorch's own,
 * while {@link Module#load} runs the source that such files hold as well. Both kinds of file load with both.
 *
 * <p>The source may be another program's. After a load, a thread of low priority compares them and logs a warning for
 * each method whose byte code does what its source does not say; the system property
 * {@code torchnnapi.lite.compare=false} leaves that out.
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
