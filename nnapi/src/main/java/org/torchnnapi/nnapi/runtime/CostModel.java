package org.torchnnapi.nnapi.runtime;

import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Estimates in microseconds (of time, or of the like amount of energy). The figures need only be right in relation:
 * work on the CPU at one multiply-add a nanosecond, times what the device says of itself; data at a few bytes a
 * nanosecond.
 */
final class CostModel {
    private static final double MICROS_PER_MULTIPLY_ADD = 1e-3;
    /** What one element of an elementwise operation costs beside a multiply-add, memory traffic included. */
    private static final double MULTIPLY_ADDS_PER_ELEMENT = 4;
    /** An operation costs something even on empty tensors. */
    private static final double MICROS_PER_OPERATION = 0.1;

    private static final double MICROS_PER_BYTE_ON_BUS = 2e-4;
    /** Starting another processor and waiting for it. */
    private static final double MICROS_PER_HANDOVER = 50;
    /** Between two devices that are both this CPU a buffer is handed over as it is. */
    private static final double MICROS_PER_CPU_HANDOVER = 0.5;

    private static final int UNKNOWN_ELEMENTS = 1024;

    private final Preference preference;
    private final ModelSlice.Source source;

    CostModel(ModelSlice.Source source, Preference preference) {
        this.source = source;
        this.preference = preference;
    }

    /** What the operation costs on the reference CPU. */
    double work(Operation operation) {
        double elements = 0;
        for (int i = 0; i < operation.outputCount(); i++) {
            elements += elements(operation.output(i));
        }
        return MICROS_PER_OPERATION + elements * multiplyAdds(operation) * MICROS_PER_MULTIPLY_ADD;
    }

    /** Multiply-adds for one output element. */
    private double multiplyAdds(Operation operation) {
        OperationType type = operation.type();
        switch (type) {
            case CONV_2D, GROUPED_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV_2D -> {
                int filter = operation.input(1);
                int[] shape = source.shape(filter);
                return shape == null || shape.length == 0
                        ? UNKNOWN_ELEMENTS
                        : Math.max(1, elements(filter) / Math.max(1, shape[0]));
            }
            case DEPTHWISE_CONV_2D -> {
                int[] shape = source.shape(operation.input(1));
                return shape == null || shape.length != 4 ? MULTIPLY_ADDS_PER_ELEMENT : (double) shape[1] * shape[2];
            }
            default -> {
                double inputs = 0;
                double outputs = 1;
                for (int i = 0; i < operation.inputCount(); i++) {
                    inputs += source.whole().operand(operation.input(i)).type().isTensor()
                            ? elements(operation.input(i))
                            : 0;
                }
                for (int i = 0; i < operation.outputCount(); i++) {
                    outputs += elements(operation.output(i));
                }
                return MULTIPLY_ADDS_PER_ELEMENT * Math.max(1, inputs / outputs);
            }
        }
    }

    /** What the operation costs on a device. */
    double onDevice(Operation operation, double work, Device device, Capabilities capabilities) {
        Performance performance = performance(operation, capabilities);
        float factor = preference == Preference.LOW_POWER ? performance.powerUsage() : performance.execTime();
        return work * factor;
    }

    private Performance performance(Operation operation, Capabilities capabilities) {
        Model model = source.whole();
        if (operation.type() == OperationType.IF) {
            return capabilities.ifPerformance();
        }
        if (operation.type() == OperationType.WHILE) {
            return capabilities.whilePerformance();
        }
        for (int i = 0; i < operation.inputCount(); i++) {
            OperandType type = model.operand(operation.input(i)).type();
            if (type.isTensor()) {
                return type == OperandType.TENSOR_FLOAT32 && model.isRelaxed()
                        ? capabilities.relaxedFloat32()
                        : capabilities.of(type);
            }
        }
        return operation.inputCount() == 0
                ? Performance.BASE
                : capabilities.of(model.operand(operation.input(0)).type());
    }

    /** What it costs to hand an operand from one device to another; null stands for the application. */
    double boundary(int operand, Device from, Device to) {
        if (from == to) {
            return 0;
        }
        if (isCpu(from) && isCpu(to)) {
            return from == null || to == null ? 0 : MICROS_PER_CPU_HANDOVER;
        }
        return MICROS_PER_HANDOVER + bytes(operand) * MICROS_PER_BYTE_ON_BUS;
    }

    private static boolean isCpu(Device device) {
        return device == null || device.type() == DeviceType.CPU;
    }

    /** Bytes of an operand; an estimate where its shape is not known. */
    double bytes(int operand) {
        return elements(operand) * source.whole().operand(operand).descriptor().elementBytes();
    }

    private double elements(int index) {
        Operand operand = source.whole().operand(index);
        int[] shape = source.shape(index);
        if (shape == null) {
            return operand.type().isTensor() ? UNKNOWN_ELEMENTS : 1;
        }
        double count = 1;
        for (int size : shape) {
            count *= size;
        }
        return count;
    }
}
