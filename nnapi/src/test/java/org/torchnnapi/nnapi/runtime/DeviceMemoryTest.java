package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;

/** Memory that a device owns and nobody else can reach. */
class DeviceMemoryTest {
    private static final class Hidden implements DeviceBuffer {
        private final Driver owner;
        private final ByteBuffer bytes;
        private final List<MemoryRole> roles;
        private int transfers;
        private boolean closed;

        Hidden(Driver owner, OperandDescriptor operand, List<MemoryRole> roles) {
            this.owner = owner;
            this.roles = roles;
            bytes = ByteBuffer.allocate((int) operand.byteCount()).order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public Driver owner() {
            return owner;
        }

        @Override
        public long size() {
            return bytes.capacity();
        }

        @Override
        public void read(ByteBuffer to) {
            transfers++;
            to.put(bytes.duplicate().clear().limit(to.remaining()));
        }

        @Override
        public void write(ByteBuffer from) {
            transfers++;
            bytes.duplicate().clear().put(from);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** What the device made of mapped memory: it works on the bytes where they are, and copies to its own. */
    private static final class Imported implements DeviceBuffer {
        private final Driver owner;
        private final ByteBuffer mapped;
        private int copies;
        private boolean closed;

        Imported(Driver owner, ByteBuffer mapped) {
            this.owner = owner;
            this.mapped = mapped;
        }

        @Override
        public Driver owner() {
            return owner;
        }

        @Override
        public long size() {
            return mapped.capacity();
        }

        @Override
        public ByteBuffer host() {
            return mapped;
        }

        @Override
        public void read(ByteBuffer to) {
            throw new AssertionError("read through the device what is mapped here");
        }

        @Override
        public void write(ByteBuffer from) {
            throw new AssertionError("written through the device what is mapped here");
        }

        @Override
        public boolean copyTo(DeviceBuffer other) {
            copies++;
            ((Hidden) other).bytes.duplicate().clear().put(mapped.duplicate().clear());
            return true;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final List<Hidden> hidden = new ArrayList<>();
    private final List<Imported> imported = new ArrayList<>();
    private final ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
    private final Devices devices = Devices.of(npu);

    DeviceMemoryTest() {
        npu.allocator((operand, roles) -> {
            hidden.add(new Hidden(npu, operand, roles));
            return hidden.get(hidden.size() - 1);
        });
        npu.importer(mapped -> {
            imported.add(new Imported(npu, mapped));
            return imported.get(imported.size() - 1);
        });
        npu.before(this::work);
    }

    /** What the device itself does with its buffers. */
    private void work(ExecutionRequest request) {
        for (int i = 0; i < request.inputCount(); i++) {
            if (request.inputBuffer(i) instanceof Hidden buffer) {
                request.passInput(
                        i,
                        OperandBuffers.view(
                                OperandType.TENSOR_FLOAT32,
                                buffer.bytes.duplicate().clear()),
                        request.inputDimensions(i));
            }
        }
        for (int i = 0; i < request.outputCount(); i++) {
            if (request.outputBuffer(i) instanceof Hidden buffer) {
                request.passOutput(
                        i,
                        OperandBuffers.view(
                                OperandType.TENSOR_FLOAT32,
                                buffer.bytes.duplicate().clear()));
            }
        }
    }

    private Compilation compile() {
        return new CompilationBuilder(Models.doubled(2))
                .setAvailable(devices)
                .setPlacementRules(PlacementRules.NONE.only("npu"))
                .finish();
    }

    private static void compute(Compilation compilation, Memory in, Memory out) {
        try (Execution execution = compilation.createExecution()) {
            execution.setInputFromMemory(0, in, 0, 0);
            execution.setOutputFromMemory(0, out, 0, 0);
            execution.compute();
        }
    }

    private static float[] content(Memory memory) {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        Memory.copy(memory, Memory.ofBuffer(bytes));
        return new float[] {bytes.getFloat(0), bytes.getFloat(4)};
    }

    private static Memory filled(MemoryDescription description, float a, float b) {
        Memory memory = description.createMemory();
        ByteBuffer bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(a)
                .putFloat(b);
        Memory.copy(Memory.ofBuffer(bytes.flip()), memory);
        return memory;
    }

    @Test
    void staysOnItsDeviceBetweenExecutions() {
        try (Compilation compilation = compile()) {
            Memory in = filled(new MemoryDescription().addInputRole(compilation, 0, 1), 1, 3);
            Memory between = new MemoryDescription()
                    .addOutputRole(compilation, 0, 1)
                    .addInputRole(compilation, 0, 1)
                    .createMemory();
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            compute(compilation, in, between);
            compute(compilation, between, out);
            assertEquals(
                    List.of(1, 0, 0),
                    hidden.stream().map(buffer -> buffer.transfers).toList(),
                    "only the first was filled from outside");
            assertEquals(12, content(out)[1]);
            for (Memory memory : List.of(in, between, out)) {
                memory.close();
            }
            assertTrue(hidden.stream().allMatch(buffer -> buffer.closed));
        }
    }

    @Test
    void isKeptForAnExecutionThatHoldsIt() {
        try (Compilation compilation = compile()) {
            Memory in = filled(new MemoryDescription().addInputRole(compilation, 0, 1), 1, 3);
            float[] result = new float[2];
            Execution execution = compilation.createExecution();
            execution.setInputFromMemory(0, in, 0, 0);
            execution.setOutput(0, FloatBuffer.wrap(result));
            in.close();
            assertFalse(hidden.get(0).closed);
            execution.compute();
            assertEquals(6, result[1]);
            execution.close();
            assertTrue(hidden.get(0).closed);
        }
    }

    @Test
    void referenceDeviceTakesOverOnCopies() {
        Logger log = Logger.getLogger(Device.class.getName());
        log.setLevel(Level.OFF);
        npu.before(request -> {
            throw new NnapiException(ResultCode.OP_FAILED, "broken");
        });
        try (Compilation compilation = compile()) {
            Memory in = filled(new MemoryDescription().addInputRole(compilation, 0, 1), 2, 5);
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            compute(compilation, in, out);
            assertEquals(10, content(out)[1]);
            assertEquals(4, content(out)[0]);
        } finally {
            log.setLevel(null);
        }
    }

    @Test
    void deviceIsToldWhatItsMemoryIsFor() {
        try (Compilation compilation = compile();
                Compilation other = compile()) {
            new MemoryDescription()
                    .addOutputRole(compilation, 0, 0.5f)
                    .addInputRole(other, 0, 1)
                    .createMemory()
                    .close();
            List<MemoryRole> roles = hidden.get(0).roles;
            assertEquals(2, roles.size());
            assertFalse(roles.get(0).input());
            assertTrue(roles.get(1).input());
            assertEquals(0.5f, roles.get(0).frequency());
            assertNotSame(roles.get(0).model(), roles.get(1).model());
        }
    }

    /** Two values in one memory behind a descriptor: the device has it once, and is told where in it they are. */
    @Test
    void descriptorIsOfferedToTheDeviceOnce() {
        ByteBuffer mapped = ByteBuffer.allocateDirect(24).order(ByteOrder.LITTLE_ENDIAN);
        mapped.putFloat(4, 1).putFloat(8, 3);
        List<Long> offsets = new ArrayList<>();
        npu.before(request -> {
            assertSame(imported.get(0), request.inputBuffer(0));
            assertSame(imported.get(0), request.outputBuffer(0));
            offsets.add(request.inputOffset(0));
            offsets.add(request.outputOffset(0));
        });
        Memory memory = Memory.ofDescriptor(42, 4096, mapped);
        try (Compilation compilation = compile()) {
            assertTrue(npu.imports.isEmpty(), "nothing is asked before it is used");
            for (int i = 0; i < 2; i++) {
                try (Execution execution = compilation.createExecution()) {
                    execution.setInputFromMemory(0, memory, 4, 8);
                    execution.setOutputFromMemory(0, memory, 16, 8);
                    execution.compute();
                }
                assertEquals(6, mapped.getFloat(20));
            }
            assertEquals(List.of(List.of(42L, 4096L)), npu.imports);
            assertEquals(List.of(4L, 16L, 4L, 16L), offsets);
        }
        memory.close();
        assertTrue(imported.get(0).closed);
        assertThrows(NnapiException.class, () -> memory.region(0, 8));
    }

    @Test
    void copiesBetweenDescriptorsAndTheDeviceAreTheDevices() {
        ByteBuffer mapped = ByteBuffer.allocateDirect(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(0, 1)
                .putFloat(4, 3);
        try (Compilation compilation = compile();
                Memory source = Memory.ofDescriptor(42, 0, mapped)) {
            Memory in = new MemoryDescription().addInputRole(compilation, 0, 1).createMemory();
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            Memory.copy(source, in);
            compute(compilation, in, out);
            assertEquals(6, content(out)[1]);
            assertEquals(1, imported.get(0).copies);
            assertEquals(0, hidden.get(0).transfers);
        }
        ByteBuffer fixed = mapped.asReadOnlyBuffer();
        try (Memory source = Memory.ofDescriptor(42, 0, mapped);
                Memory target = Memory.ofDescriptor(42, 0, fixed)) {
            assertEquals(
                    ResultCode.BAD_DATA,
                    assertThrows(NnapiException.class, () -> Memory.copy(source, target))
                            .resultCode());
        }
    }

    /** What a device cannot import it reads and writes where the runtime has it mapped. */
    @Test
    void descriptorsThatADeviceCannotImportAreMapped(@TempDir Path folder) throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "descriptors have no names here");
        Logger log = Logger.getLogger(Device.class.getName());
        log.setLevel(Level.OFF);
        npu.importer(mapped -> {
            throw new IllegalStateException("no room");
        });
        Path file = folder.resolve("values");
        try (RandomAccessFile values = new RandomAccessFile(file.toFile(), "rw");
                Compilation compilation = compile()) {
            values.setLength(4096 + 16);
            int descriptor = descriptorOf(file);
            Memory memory = Memory.ofDescriptor(descriptor, 4096, 16, true);
            memory.region(0, 8).putFloat(0, 2).putFloat(4, 5);
            try (Execution execution = compilation.createExecution()) {
                execution.setInputFromMemory(0, memory, 0, 8);
                execution.setOutputFromMemory(0, memory, 8, 8);
                execution.compute();
            }
            assertEquals(10, memory.region(8, 8).getFloat(4));
            values.seek(4096 + 12);
            assertEquals(10, Float.intBitsToFloat(Integer.reverseBytes(values.readInt())), "the file's own");
            memory.close();
            assertEquals(
                    ResultCode.BAD_DATA,
                    assertThrows(NnapiException.class, () -> Memory.ofDescriptor(descriptor, 4096, 17, true))
                            .resultCode());
            assertEquals(
                    ResultCode.UNMAPPABLE,
                    assertThrows(NnapiException.class, () -> Memory.ofDescriptor(-1, 0, 16, true))
                            .resultCode());
        } finally {
            log.setLevel(null);
        }
    }

    private static int descriptorOf(Path file) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path one : all) {
                if (Files.exists(one) && Files.isSameFile(one, file)) {
                    return Integer.parseInt(one.getFileName().toString());
                }
            }
        }
        throw new IOException(file + ": not open");
    }

    /** A device that may hang gets copies of what the caller can reach: it could write late. */
    @Test
    void guardedDeviceDoesNotGetTheCallersMemory() {
        ByteBuffer mapped = ByteBuffer.allocateDirect(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(0, 1)
                .putFloat(4, 3);
        List<Object> given = new ArrayList<>();
        npu.before(request -> {
            given.add(request.inputBuffer(0) == null);
            given.add(request.outputBuffer(0) == null);
        });
        try (Compilation compilation = new CompilationBuilder(Models.doubled(2))
                        .setAvailable(devices)
                        .setPlacementRules(PlacementRules.NONE.only("npu"))
                        .setDeviceTimeout(Duration.ofSeconds(60))
                        .finish();
                Execution execution = compilation.createExecution()) {
            Memory memory = Memory.ofDescriptor(42, 0, mapped);
            execution.setInputFromMemory(0, memory, 0, 8);
            execution.setOutputFromMemory(0, memory, 8, 8);
            execution.compute();
            assertEquals(6, mapped.getFloat(12));
        }
        assertEquals(List.of(true, true), given);
    }

    @Test
    void rolesOnSeveralDevicesAreTheRuntimesMemory() {
        try (Compilation here = compile();
                Compilation there = new CompilationBuilder(Models.doubled(2))
                        .setAvailable(devices)
                        .setPlacementRules(PlacementRules.NONE.only("reference"))
                        .finish()) {
            Memory between = new MemoryDescription()
                    .addOutputRole(here, 0, 1)
                    .addInputRole(there, 0, 1)
                    .createMemory();
            assertTrue(hidden.isEmpty());
            Memory in = filled(new MemoryDescription().addInputRole(here, 0, 1), 1, 3);
            Memory out = new MemoryDescription().addOutputRole(there, 0, 1).createMemory();
            compute(here, in, between);
            compute(there, between, out);
            assertEquals(12, content(out)[1]);
        }
    }
}
