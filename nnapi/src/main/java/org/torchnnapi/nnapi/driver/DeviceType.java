package org.torchnnapi.nnapi.driver;

/** The specification's kinds of device. */
public enum DeviceType {
    UNKNOWN,
    OTHER,
    CPU,
    GPU,
    ACCELERATOR
}
