package org.torchnnapi.driver.android;

import org.torchnnapi.tensor.platform.Platform;
import org.torchnnapi.tensor.platform.Reachability;

/** File descriptors, of which Java has no word: functions of the system's C library. */
final class Descriptors {
    /** What is loaded already, in which the C library is. */
    private static final long EVERYTHING = 0;

    private Descriptors() {}

    /** What a function returns, -1 where the system has none of that name. */
    static long call(String function, long... arguments) {
        long address = find(EVERYTHING, function);
        if (address == 0 && Platform.ANDROID) {
            address = find(open("libandroid.so"), function);
        }
        return address == 0 ? -1 : SystemLibrary.call(address, arguments);
    }

    private static long open(String library) {
        ForeignMemory text = ForeignMemory.of(library);
        long handle = NativeCalls.open(text.address());
        Reachability.fence(text);
        return handle;
    }

    private static long find(long library, String name) {
        ForeignMemory text = ForeignMemory.of(name);
        long address = NativeCalls.find(library, text.address());
        Reachability.fence(text);
        return address;
    }

    /** Closes a descriptor; nothing where it is below 0. */
    static void close(int descriptor) {
        if (descriptor >= 0) {
            call("close", descriptor);
        }
    }
}
