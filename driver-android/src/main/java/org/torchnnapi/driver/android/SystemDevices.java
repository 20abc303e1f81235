package org.torchnnapi.driver.android;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.DriverSource;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.tensor.platform.Environment;
import org.torchnnapi.tensor.platform.Platform;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * The devices of the system's runtime. Their names begin with {@code system/}, since the system's may have those of
 * ours. Before Android 10 NNAPI has no list of devices: there is then one, {@code system/default}, which stands for all
 * of them.
 */
public final class SystemDevices implements DriverSource {
    /** What the names of the system's devices begin with. */
    public static final String PREFIX = "system/";

    private static final Logger LOG = Logger.getLogger(SystemDevices.class.getName());

    /** Made by ServiceLoader. */
    public SystemDevices() {}

    @Override
    public List<Driver> drivers() {
        String given = Environment.get("LIBNEURALNETWORKS_PATH");
        if (given == null || given.isEmpty()) {
            if (!Platform.ANDROID) {
                return List.of();
            }
            given = "libneuralnetworks.so";
        }
        try {
            return of(given);
        } catch (NnapiException | LinkageError e) {
            // A phone may be without; who names a library on a desktop wants to know, and who packed a stale one.
            boolean expected = Platform.ANDROID && !(e instanceof SystemCallsVersionError);
            LOG.log(expected ? Level.FINE : Level.WARNING, "no devices of the system's NNAPI: " + e.getMessage());
            return List.of();
        }
    }

    /**
     * The devices of a library with NNAPI's C interface.
     *
     * @param library a file, or a name that the system's linker finds
     * @throws NnapiException UNAVAILABLE_DEVICE if it does not load, or what it answers
     */
    public static List<Driver> of(String library) {
        SystemLibrary system = SystemLibrary.open(library);
        if (!system.has("_getDeviceCount")) {
            FeatureLevel level =
                    system.has("Model_relaxComputationFloat32toFloat16") ? FeatureLevel.V1_1 : FeatureLevel.V1_0;
            return List.of(new SystemDriver(system, 0, PREFIX + "default", "unknown", DeviceType.UNKNOWN, level));
        }
        ForeignMemory place = new ForeignMemory(Long.BYTES);
        system.must("_getDeviceCount", place.address());
        int count = place.getInt(0);
        List<Driver> drivers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long device = system.made("_getDevice", i);
            String name = ForeignMemory.text(system.made("Device_getName", device));
            String version = ForeignMemory.text(system.made("Device_getVersion", device));
            system.must("Device_getType", device, place.address());
            int type = place.getInt(0);
            system.must("Device_getFeatureLevel", device, place.address());
            drivers.add(new SystemDriver(system, device, PREFIX + name, version, type(type), level(place.getLong(0))));
        }
        Reachability.fence(place);
        return drivers;
    }

    private static DeviceType type(int code) {
        return code >= 0 && code < DeviceType.values().length ? DeviceType.values()[code] : DeviceType.UNKNOWN;
    }

    /** The newest level known here that is not above the system's. */
    static FeatureLevel level(long number) {
        FeatureLevel level = FeatureLevel.V1_0;
        for (FeatureLevel known : FeatureLevel.values()) {
            if (known.apiLevel() <= number) {
                level = known;
            }
        }
        return level;
    }
}
