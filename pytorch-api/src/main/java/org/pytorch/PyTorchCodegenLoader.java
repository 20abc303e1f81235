package org.pytorch;

/** Kept for applications that call it before loading a model. */
public class PyTorchCodegenLoader {
    private PyTorchCodegenLoader() {}

    /** Does nothing: there is no native library to load. */
    public static void loadNativeLibs() {}
}
