package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
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
        private int transfers;
        private boolean closed;

        Hidden(Driver owner, OperandDescriptor operand) {
            this.owner = owner;
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

    private final List<Hidden> hidden = new ArrayList<>();
    private final ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
    private final Devices devices = Devices.of(npu);

    DeviceMemoryTest() {
        npu.allocator(operand -> {
            hidden.add(new Hidden(npu, operand));
            return hidden.get(hidden.size() - 1);
        });
        npu.before(this::work);
    }

    /** What the device itself does with its buffers. */
    private void work(ExecutionRequest request) {
        for (int i = 0; i < request.inputCount(); i++) {
            if (request.inputBuffer(i) instanceof Hidden buffer) {
                request.passInput(i, OperandBuffers.view(OperandType.TENSOR_FLOAT32, buffer.bytes.duplicate().clear()), request.inputDimensions(i));
            }
        }
        for (int i = 0; i < request.outputCount(); i++) {
            if (request.outputBuffer(i) instanceof Hidden buffer) {
                request.passOutput(i, OperandBuffers.view(OperandType.TENSOR_FLOAT32, buffer.bytes.duplicate().clear()));
            }
        }
    }

    private Compilation compile() {
        return new CompilationBuilder(Models.doubled(2)).setAvailable(devices).setPlacementRules(PlacementRules.NONE.only("npu")).finish();
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
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putFloat(a).putFloat(b);
        Memory.copy(Memory.ofBuffer(bytes.flip()), memory);
        return memory;
    }

    @Test
    void staysOnItsDeviceBetweenExecutions() {
        try (Compilation compilation = compile()) {
            Memory in = filled(new MemoryDescription().addInputRole(compilation, 0, 1), 1, 3);
            Memory between = new MemoryDescription().addOutputRole(compilation, 0, 1).addInputRole(compilation, 0, 1).createMemory();
            Memory out = new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            compute(compilation, in, between);
            compute(compilation, between, out);
            assertEquals(List.of(1, 0, 0), hidden.stream().map(buffer -> buffer.transfers).toList(), "only the first was filled from outside");
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
            Memory out = new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            compute(compilation, in, out);
            assertEquals(10, content(out)[1]);
            assertEquals(4, content(out)[0]);
        } finally {
            log.setLevel(null);
        }
    }

    @Test
    void rolesOnSeveralDevicesAreTheRuntimesMemory() {
        try (Compilation here = compile();
                Compilation there = new CompilationBuilder(Models.doubled(2)).setAvailable(devices).setPlacementRules(PlacementRules.NONE.only("reference"))
                        .finish()) {
            Memory between = new MemoryDescription().addOutputRole(here, 0, 1).addInputRole(there, 0, 1).createMemory();
            assertTrue(hidden.isEmpty());
            Memory in = filled(new MemoryDescription().addInputRole(here, 0, 1), 1, 3);
            Memory out = new MemoryDescription().addOutputRole(there, 0, 1).createMemory();
            compute(here, in, between);
            compute(there, between, out);
            assertEquals(12, content(out)[1]);
        }
    }
}
