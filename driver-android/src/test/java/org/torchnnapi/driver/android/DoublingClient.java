package org.torchnnapi.driver.android;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;

/**
 * A program that lists the system's devices as any would, and has the first double numbers: from the heap and from
 * outside, of sizes that are known and of those that are not. In a virtual machine of its own, which a crash would end,
 * or on another processor.
 */
final class DoublingClient {
    private static final float[] VALUES = {1, -2, 3};

    private DoublingClient() {}

    public static void main(String[] args) {
        List<Driver> drivers = new SystemDevices().drivers();
        System.out.println("devices: " + drivers);
        if (drivers.isEmpty()) {
            return;
        }
        ByteBuffer outside =
                ByteBuffer.allocateDirect(Float.BYTES * VALUES.length).order(ByteOrder.LITTLE_ENDIAN);
        outside.asFloatBuffer().put(VALUES);
        for (int size : new int[] {VALUES.length, 0}) {
            for (Buffer input : new Buffer[] {FloatBuffer.wrap(VALUES), outside}) {
                System.out.println("doubled: " + run(drivers.get(0), doubled(size), input));
            }
        }
    }

    /** {@code x + x} on {@code [size]}, which may be 0 for unknown. */
    static Model doubled(int size) {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        return builder.finish();
    }

    /** On this device alone. */
    private static String run(Driver driver, Model model, Buffer input) {
        List<Device> only = List.of(Devices.of(driver).find(driver.name()));
        try (Compilation compilation =
                new CompilationBuilder(model).setDevices(only).finish()) {
            Compilation.Output output = compilation
                    .run(List.of(input), List.of(new int[] {VALUES.length}))
                    .get(0);
            FloatBuffer data = (FloatBuffer) output.data();
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < output.dimensions()[0]; i++) {
                text.append(i == 0 ? "" : ", ").append(data.get(i));
            }
            return text + " on " + compilation.placement().operations().get(0).device();
        }
    }
}
