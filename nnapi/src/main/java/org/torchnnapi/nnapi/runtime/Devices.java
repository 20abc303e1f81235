package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.DriverSource;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Streams;

/** The devices there are. The reference device is built in: it is always among them, last. */
public final class Devices {
    private static final Driver REFERENCE = new ReferenceDriver();

    private final List<Device> devices;
    private final Device reference;

    private Devices(List<Driver> drivers, LongSupplier clock) {
        List<Device> all = new ArrayList<>();
        Driver last = REFERENCE;
        for (Driver driver : drivers) {
            if (driver.isReference()) {
                last = driver;
            } else if (all.stream().anyMatch(d -> d.name().equals(driver.name()))) {
                throw new NnapiException(
                        ResultCode.BAD_DATA, "device " + driver.name() + ": twice (expected: one driver of a name)");
            } else {
                all.add(new Device(driver, clock));
            }
        }
        reference = new Device(last, clock);
        all.add(reference);
        devices = List.copyOf(all);
    }

    private static final class Installed {
        private static final Logger LOG = Logger.getLogger(Devices.class.getName());
        private static final List<Driver> DRIVERS = load();
        private static final Devices DEVICES = new Devices(DRIVERS, System::nanoTime);

        private static List<Driver> load() {
            List<Driver> drivers = new ArrayList<>();
            each(Driver.class, drivers::add);
            each(DriverSource.class, source -> drivers.addAll(source.drivers()));
            if (drivers.isEmpty()) {
                LOG.warning("no device but the reference device is found, which computes many times slower (expected:"
                        + " torch-nnapi-driver-cpu on the path; in a merged jar, its file META-INF/services/"
                        + Driver.class.getName() + ")");
            }
            return drivers;
        }

        /** What cannot be loaded, or fails to say what it has, is left out. */
        private static <T> void each(Class<T> service, Consumer<T> consumer) {
            Iterator<T> found =
                    ServiceLoader.load(service, Driver.class.getClassLoader()).iterator();
            while (true) {
                try {
                    if (!found.hasNext()) {
                        return;
                    }
                    consumer.accept(found.next());
                } catch (ServiceConfigurationError | LinkageError | NnapiException e) {
                    LOG.log(Level.WARNING, "a driver cannot be loaded and is left out", e);
                }
            }
        }
    }

    /**
     * What the runtime itself offers, whatever its devices do: reusable executions and the preferred places of inputs
     * and outputs.
     */
    public static FeatureLevel runtimeFeatureLevel() {
        return FeatureLevel.LEVEL_5;
    }

    /** The devices whose drivers are installed, found once. */
    public static Devices installed() {
        return Installed.DEVICES;
    }

    /** Exactly these drivers, and the reference device where none of them is one. */
    public static Devices of(Driver... drivers) {
        return of(System::nanoTime, drivers);
    }

    /** @param clock counts nanoseconds, for how long devices are fenced off */
    static Devices of(LongSupplier clock, Driver... drivers) {
        return new Devices(List.of(drivers), clock);
    }

    public List<Device> all() {
        return devices;
    }

    public Device reference() {
        return reference;
    }

    /** @throws NnapiException BAD_DATA if there is no device of this name */
    public Device find(String name) {
        for (Device device : devices) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new NnapiException(
                ResultCode.BAD_DATA,
                "device: " + name + " (expected: one of "
                        + devices.stream().map(Device::name).collect(Streams.toList()) + ")");
    }
}
