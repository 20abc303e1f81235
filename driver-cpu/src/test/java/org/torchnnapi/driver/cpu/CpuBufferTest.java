package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;
import org.torchnnapi.nnapi.runtime.PlacementRules;

class CpuBufferTest {
    private static final OperandDescriptor THREE = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3);

    private static Model doubled() {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(THREE);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(THREE);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        return builder.finish();
    }

    @Test
    void beginsOnACacheLine() {
        CpuDriver driver = new CpuDriver();
        for (int i = 0; i < 20; i++) {
            DeviceBuffer buffer = driver.allocate(THREE, List.of());
            assertEquals(12, buffer.size());
            assertEquals(12, buffer.host().capacity());
            assertEquals(
                    0,
                    buffer.host().alignmentOffset(0, driver.memoryPreference().alignment()));
            assertSame(driver, buffer.owner());
        }
    }

    @Test
    void isWhatExecutionsReadAndWrite() {
        try (Compilation compilation = new CompilationBuilder(doubled())
                        .setAvailable(Devices.of(new CpuDriver()))
                        .setPlacementRules(PlacementRules.NONE.only(CpuDriver.NAME))
                        .finish();
                Execution execution = compilation.createExecution()) {
            Memory in = new MemoryDescription().addInputRole(compilation, 0, 1).createMemory();
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 1).createMemory();
            ByteBuffer bytes = ByteBuffer.allocate(12)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putFloat(0, 1)
                    .putFloat(8, -3);
            Memory.copy(Memory.ofBuffer(bytes), in);
            execution.setInputFromMemory(0, in, 0, 0);
            execution.setOutputFromMemory(0, out, 0, 0);
            execution.compute();
            Memory.copy(out, Memory.ofBuffer(bytes));
            assertEquals(2, bytes.getFloat(0));
            assertEquals(0, in.region(0, 0).alignmentOffset(0, 64));
            assertEquals(-6, out.region(0, 0).getFloat(8));
        }
    }
}
