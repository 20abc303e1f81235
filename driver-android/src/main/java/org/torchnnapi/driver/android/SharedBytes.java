package org.torchnnapi.driver.android;

import java.nio.ByteBuffer;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Platform;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * Memory that this process has mapped and others can, by its descriptor: from Android's shared memory, or a file in
 * memory elsewhere.
 */
final class SharedBytes implements AutoCloseable {
    /**
     * From the system's headers: what is mapped may be read and written (PROT_READ | PROT_WRITE), by all who map it
     * (MAP_SHARED).
     */
    private static final int READ_AND_WRITE = 3;

    private static final int SHARED = 1;
    private static final int CLOSED_BY_EXEC = 1;

    private final int descriptor;
    private final long address;
    private final long size;

    /**
     * @param size in bytes, above 0
     * @throws NnapiException OUT_OF_MEMORY if there is none to be had
     */
    SharedBytes(long size) {
        this.size = size;
        descriptor = descriptor(size);
        address = descriptor < 0 ? -1 : Descriptors.call("mmap", 0, size, READ_AND_WRITE, SHARED, descriptor, 0);
        if (address == -1 || address == 0) {
            Descriptors.close(descriptor);
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    "shared memory of " + size + " bytes: not to be had (expected: from the system)");
        }
    }

    private static int descriptor(long size) {
        ForeignMemory name = ForeignMemory.of("torch-nnapi");
        int made;
        if (Platform.ANDROID) {
            made = (int) Descriptors.call("ASharedMemory_create", name.address(), size);
        } else {
            made = (int) Descriptors.call("memfd_create", name.address(), CLOSED_BY_EXEC);
            if (made >= 0 && (int) Descriptors.call("ftruncate", made, size) != 0) {
                Descriptors.close(made);
                made = -1;
            }
        }
        Reachability.fence(name);
        return made;
    }

    int descriptor() {
        return descriptor;
    }

    /** All of it, until it is closed. */
    ByteBuffer bytes() {
        return NativeCalls.buffer(address, size);
    }

    @Override
    public void close() {
        Descriptors.call("munmap", address, size);
        Descriptors.close(descriptor);
    }
}
