package org.torchnnapi.nnapi.driver;

import java.util.List;

/**
 * Devices that are found together, such as those of a system's own runtime. Itself found by
 * {@link java.util.ServiceLoader}, as drivers are.
 */
public interface DriverSource {
    /** The devices that are there now, none if there are none; called once. */
    List<Driver> drivers();
}
