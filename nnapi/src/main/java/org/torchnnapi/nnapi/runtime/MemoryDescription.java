package org.torchnnapi.nnapi.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Says in which roles a memory will be used, so that the runtime can choose where to put it. All roles must agree on
 * type, quantization and shape. Not thread-safe.
 */
public final class MemoryDescription {
    private record Role(Compilation compilation, boolean input, int position) {}

    private final List<Role> roles = new ArrayList<>();
    /** By role. */
    private final List<Float> frequencies = new ArrayList<>();

    private OperandDescriptor descriptor;
    private int[] dimensions;

    public MemoryDescription() {}

    /**
     * The memory will be an input.
     *
     * @param frequency how often, from above 0 to 1
     */
    public MemoryDescription addInputRole(Compilation compilation, int position, float frequency) {
        requirePosition(position, compilation.model().inputCount(), "input");
        return add(new Role(compilation, true, position), compilation.model().input(position), frequency);
    }

    /**
     * The memory will be an output.
     *
     * @param frequency how often, from above 0 to 1
     */
    public MemoryDescription addOutputRole(Compilation compilation, int position, float frequency) {
        requirePosition(position, compilation.model().outputCount(), "output");
        return add(new Role(compilation, false, position), compilation.model().output(position), frequency);
    }

    private static void requirePosition(int position, int count, String what) {
        if (position < 0 || position >= count) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, what + ": " + position + " (expected: 0 to " + (count - 1) + ")");
        }
    }

    private MemoryDescription add(Role role, Operand operand, float frequency) {
        if (!(frequency > 0 && frequency <= 1)) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "frequency: " + frequency + " (expected: above 0, at most 1)");
        }
        if (roles.contains(role)) {
            throw new NnapiException(ResultCode.BAD_DATA, "role: given twice (expected: once)");
        }
        OperandDescriptor other = operand.descriptor();
        if (descriptor != null
                && (descriptor.type() != other.type()
                        || descriptor.scale() != other.scale()
                        || descriptor.zeroPoint() != other.zeroPoint())) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "role of " + other + " (expected: as the other roles, " + descriptor + ")");
        }
        dimensions = combine(dimensions == null ? new int[0] : dimensions, other.dimensions());
        descriptor = descriptor == null ? other : descriptor;
        roles.add(role);
        frequencies.add(frequency);
        return this;
    }

    /** Gives dimensions the models leave open. */
    public MemoryDescription setDimensions(int... newDimensions) {
        dimensions = combine(dimensions == null ? new int[0] : dimensions, newDimensions);
        return this;
    }

    /** Both shapes together, 0 and no rank meaning unknown. */
    private static int[] combine(int[] a, int[] b) {
        if (a.length == 0 || b.length == 0) {
            return a.length == 0 ? b.clone() : a;
        }
        int[] both = a.clone();
        boolean fits = a.length == b.length;
        for (int i = 0; fits && i < a.length; i++) {
            both[i] = a[i] == 0 ? b[i] : a[i];
            fits = a[i] == 0 || b[i] == 0 || a[i] == b[i];
        }
        if (!fits) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "shape " + Arrays.toString(b) + " (expected: to fit " + Arrays.toString(a) + ")");
        }
        return both;
    }

    /**
     * Makes the memory.
     *
     * @throws NnapiException BAD_DATA without a role, OP_FAILED while a dimension is unknown
     */
    public Memory createMemory() {
        if (roles.isEmpty()) {
            throw new NnapiException(ResultCode.BAD_DATA, "roles: 0 (expected: at least one)");
        }
        OperandDescriptor whole = descriptor.withDimensions(dimensions);
        if (!whole.isFullySpecified() || whole.byteCount() > Integer.MAX_VALUE) {
            throw new NnapiException(
                    ResultCode.OP_FAILED, "memory of " + whole + " (expected: all dimensions known, at most 2 GiB)");
        }
        Device device = onlyDevice();
        DeviceBuffer owned = device == null ? null : allocate(device, whole);
        return new DeviceMemory(whole, List.copyOf(roles), owned == null ? null : device, owned);
    }

    /** The one device that all roles are about, null where there is none. */
    private Device onlyDevice() {
        Device only = null;
        for (Role role : roles) {
            Device device = role.compilation.roleDevice(role.input, role.position);
            if (device == null || only != null && only != device) {
                return null;
            }
            only = device;
        }
        return only;
    }

    /** Memory of a device's own, null where it has none for these roles. */
    private DeviceBuffer allocate(Device device, OperandDescriptor whole) {
        List<MemoryRole> prepared = new ArrayList<>();
        for (int i = 0; i < roles.size(); i++) {
            Role role = roles.get(i);
            List<MemoryRole> places = role.compilation.memoryRoles(role.input, role.position, frequencies.get(i));
            if (places.isEmpty()) {
                return null;
            }
            prepared.addAll(places);
        }
        try {
            DeviceBuffer buffer = device.driver().allocate(whole, List.copyOf(prepared));
            if (buffer != null && buffer.size() < whole.byteCount()) {
                buffer.close();
                throw new NnapiException(
                        ResultCode.OP_FAILED,
                        "device memory: " + buffer.size() + " bytes (expected: " + whole.byteCount() + ")");
            }
            return buffer;
        } catch (RuntimeException | LinkageError e) {
            device.passed(
                    "failed to allocate memory for " + whole + " (" + e + "): the runtime's is used, and copied", e);
            return null;
        }
    }

    /** Knows what it holds: only whole, only in its roles, and only readable once written. */
    private static final class DeviceMemory extends Memory {
        private final OperandDescriptor descriptor;
        private final List<Role> roles;
        /** Whose memory it is; null for the runtime's. */
        private final Device device;
        /** The device's own, or null. */
        private final DeviceBuffer owned;
        /** Null where only the device reaches them. */
        private final ByteBuffer bytes;

        private volatile boolean initialized;
        private volatile int[] shape;

        DeviceMemory(OperandDescriptor descriptor, List<Role> roles, Device device, DeviceBuffer owned) {
            this.descriptor = descriptor;
            this.roles = roles;
            this.device = device;
            this.owned = owned;
            bytes = owned == null
                    ? ByteBuffer.allocateDirect((int) descriptor.byteCount()).order(ByteOrder.LITTLE_ENDIAN)
                    : owned.host();
            shape = descriptor.dimensions();
        }

        @Override
        public long size() {
            return descriptor.byteCount();
        }

        @Override
        Device device() {
            return device;
        }

        @Override
        DeviceBuffer bufferOf(Device user) {
            return user == device ? owned : null;
        }

        @Override
        DeviceBuffer deviceBuffer(Compilation compilation, boolean input, int position) {
            return owned;
        }

        @Override
        void dispose() {
            if (owned != null) {
                owned.close();
            }
        }

        @Override
        ByteBuffer bytes() {
            return bytes;
        }

        @Override
        public ByteBuffer region(long offset, long length) {
            requireOpen();
            if (offset != 0 || length != 0) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "offset " + offset + ", length " + length + " of a device memory (expected: 0, 0: the whole)");
            }
            return bytes == null ? ByteBuffer.allocate(0) : bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        int[] checkInput(Compilation compilation, int position, int[] dimensions) {
            requireRole(new Role(compilation, true, position));
            int[] given = dimensions == null || dimensions.length == 0 ? shape : dimensions;
            if (!Arrays.equals(given, shape)) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "dimensions " + Arrays.toString(given) + " (expected: those of the memory, "
                                + Arrays.toString(shape) + ")");
            }
            return given;
        }

        @Override
        void checkOutput(Compilation compilation, int position, int[] dimensions) {
            requireRole(new Role(compilation, false, position));
            if (dimensions != null) {
                combine(descriptor.dimensions(), dimensions);
            }
        }

        private void requireRole(Role role) {
            if (!roles.contains(role)) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "device memory as " + (role.input ? "input " : "output ") + role.position
                                + " (expected: a role it was made for)");
            }
        }

        @Override
        void requireInitialized(int position) {
            if (!initialized) {
                throw new NnapiException(
                        ResultCode.OP_FAILED,
                        "input " + position
                                + ": a device memory never written (expected: written by an execution or a copy)");
            }
        }

        @Override
        void written(boolean well, int[] dimensions) {
            initialized = well;
            if (well && dimensions != null && descriptor.type().isTensor()) {
                shape = dimensions.clone();
            }
        }

        @Override
        void checkCopy(Memory to) {
            if (!initialized) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "source: a device memory never written (expected: written by an execution or a copy)");
            }
            if (to instanceof DeviceMemory other
                    && (!Arrays.equals(shape, other.shape) || descriptor.type() != other.descriptor.type())) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "memory of " + other.descriptor + " (expected: as the source, " + descriptor + ")");
            }
        }

        @Override
        void copied(boolean well) {
            initialized = well;
        }
    }
}
