package org.pytorch;

/** What a model is asked to run on. */
public enum Device {
    /** The CPU, or for converted models whatever devices the NNAPI runtime finds. */
    CPU,
    /** Vulkan; models loaded for it run on the CPU here, with the same results. */
    VULKAN
}
