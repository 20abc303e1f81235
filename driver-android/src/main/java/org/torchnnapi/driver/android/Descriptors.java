package org.torchnnapi.driver.android;

import org.torchnnapi.tensor.platform.Reachability;

/** File descriptors, of which Java has no word. */
final class Descriptors {
    /** What is loaded already, in which the C library is. */
    private static final long EVERYTHING = 0;
    private static final long CLOSE = find("close");

    private Descriptors() {
    }

    private static long find(String name) {
        ForeignMemory text = ForeignMemory.of(name);
        long address = NativeCalls.find(EVERYTHING, text.address());
        Reachability.fence(text);
        return address;
    }

    static void close(int descriptor) {
        if (CLOSE != 0) {
            NativeCalls.call(CLOSE, descriptor, 0, 0, 0, 0, 0);
        }
    }
}
