package org.torchnnapi.c;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;

/** The installed devices by their positions. The reference device has the name that Android's has. */
final class DeviceTable {
    /** By this name programs find, or avoid, the device that every Android has. */
    static final String REFERENCE_NAME = "nnapi-reference";

    private DeviceTable() {}

    static Device get(int index) {
        return Devices.installed().all().get(index);
    }

    static List<Device> get(int[] indexes) {
        List<Device> devices = new ArrayList<>(indexes.length);
        for (int index : indexes) {
            devices.add(get(index));
        }
        return devices;
    }

    static int count() {
        try {
            return Devices.installed().all().size();
        } catch (Throwable e) {
            return -Answer.code(e);
        }
    }

    /** Name and version, parted by a line's end; null if the device does not tell. */
    static String texts(int index) {
        try {
            Device device = get(index);
            return (device.isReference() ? REFERENCE_NAME : device.name()) + "\n" + device.version();
        } catch (Throwable e) {
            Answer.code(e);
            return null;
        }
    }

    /** Whether a device has an extension, or a code made negative. */
    static int hasExtension(int index, String name) {
        try {
            return get(index).hasExtension(name) ? 1 : 0;
        } catch (Throwable e) {
            return -Answer.code(e);
        }
    }

    /** Kind of device in the lower half, feature level in the upper. */
    static long numbers(int index) {
        try {
            Device device = get(index);
            return Answer.pair(device.featureLevel().apiLevel(), device.type().ordinal());
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }
}
