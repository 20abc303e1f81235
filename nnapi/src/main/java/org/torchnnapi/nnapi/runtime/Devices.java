package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** The devices there are. The reference device is always among them, last. */
public final class Devices {
    private final List<Device> devices;

    private Devices(List<Driver> drivers) {
        List<Device> all = new ArrayList<>();
        Driver reference = null;
        for (Driver driver : drivers) {
            if (driver instanceof ReferenceDriver) {
                reference = driver;
            } else if (all.stream().anyMatch(d -> d.name().equals(driver.name()))) {
                throw new NnapiException(ResultCode.BAD_DATA, "device " + driver.name() + ": twice (expected: one driver of a name)");
            } else {
                all.add(new Device(driver));
            }
        }
        all.add(new Device(reference == null ? new ReferenceDriver() : reference));
        devices = List.copyOf(all);
    }

    private static final class Installed {
        private static final Devices DEVICES = load();

        private static Devices load() {
            List<Driver> drivers = new ArrayList<>();
            Iterator<Driver> found = ServiceLoader.load(Driver.class, Driver.class.getClassLoader()).iterator();
            while (true) {
                try {
                    if (!found.hasNext()) {
                        return new Devices(drivers);
                    }
                    drivers.add(found.next());
                } catch (ServiceConfigurationError | LinkageError e) {
                    Logger.getLogger(Devices.class.getName()).log(Level.WARNING, "a driver cannot be loaded and is left out", e);
                }
            }
        }
    }

    /** The devices whose drivers are installed, found once. */
    public static Devices installed() {
        return Installed.DEVICES;
    }

    /** Exactly these drivers, and the reference device. */
    public static Devices of(Driver... drivers) {
        return new Devices(List.of(drivers));
    }

    public List<Device> all() {
        return devices;
    }

    public Device reference() {
        return devices.get(devices.size() - 1);
    }

    /** @throws NnapiException BAD_DATA if there is no device of this name */
    public Device find(String name) {
        for (Device device : devices) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new NnapiException(ResultCode.BAD_DATA, "device: " + name + " (expected: one of " + devices.stream().map(Device::name).toList() + ")");
    }
}
