package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;

/** Loops and branches between ordinary operations. */
class ControlFlowTest {
    private static int model(Graphs graph, Model referenced) {
        int operand = graph.builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        graph.builder.setOperandValueFromModel(operand, referenced);
        return operand;
    }

    /** Whether the number is below 100. */
    private static Model small() {
        Graphs graph = new Graphs(1, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(1);
        int limit = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        graph.builder.setOperandValue(limit, 100f);
        int below = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        graph.builder.addOperation(OperationType.LESS, new int[] {x, limit}, new int[] {below});
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {below});
        return graph.builder.finish();
    }

    private static Model of(OperationType operation) {
        Graphs graph = new Graphs(2, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(1);
        int y = graph.apply(operation, new int[] {1}, x, x, graph.scalar(0));
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        return graph.builder.finish();
    }

    @Test
    void aLoopBetweenOperations() {
        Graphs graph = new Graphs(3, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(1);
        int larger = graph.apply(OperationType.ADD, new int[] {1}, x, x, graph.scalar(0));
        int doubled = graph.tensor(1);
        graph.builder.addOperation(
                OperationType.WHILE,
                new int[] {model(graph, small()), model(graph, of(OperationType.ADD)), larger},
                new int[] {doubled});
        int y = graph.apply(OperationType.SUB, new int[] {1}, doubled, x, graph.scalar(0));
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        Model whole = graph.builder.finish();
        try (PreparedModel prepared = Graphs.prepare(whole)) {
            for (float start : new float[] {1, 3, 60}) {
                float expected = 2 * start;
                while (expected < 100) {
                    expected *= 2;
                }
                float[] out = new float[1];
                ExecutionRequest request = new ExecutionRequest(whole);
                request.setInput(0, FloatBuffer.wrap(new float[] {start}));
                request.setOutput(0, FloatBuffer.wrap(out));
                prepared.execute(request);
                assertEquals(expected - start, out[0]);
            }
        }
    }

    @Test
    void eitherBranch() {
        Graphs graph = new Graphs(4, OperandType.TENSOR_FLOAT32);
        int condition = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        int x = graph.tensor(1);
        int y = graph.tensor(1);
        graph.builder.addOperation(
                OperationType.IF,
                new int[] {condition, model(graph, of(OperationType.MUL)), model(graph, of(OperationType.SUB)), x},
                new int[] {y});
        graph.builder.identifyInputsAndOutputs(new int[] {condition, x}, new int[] {y});
        Model whole = graph.builder.finish();
        try (PreparedModel prepared = Graphs.prepare(whole)) {
            for (byte flag = 0; flag < 2; flag++) {
                float[] out = new float[1];
                ExecutionRequest request = new ExecutionRequest(whole);
                request.setInput(0, ByteBuffer.wrap(new byte[] {flag}));
                request.setInput(1, FloatBuffer.wrap(new float[] {7}));
                request.setOutput(0, FloatBuffer.wrap(out));
                prepared.execute(request);
                assertEquals(flag == 1 ? 49 : 0, out[0]);
            }
        }
    }

    /** The hardware's time is what the model that was chosen took, and is there where it is asked for. */
    @Test
    void tellsHowLongTheChosenModelWorked() {
        Graphs graph = new Graphs(4, OperandType.TENSOR_FLOAT32);
        int condition = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        int x = graph.tensor(1);
        int y = graph.tensor(1);
        graph.builder.addOperation(
                OperationType.IF,
                new int[] {condition, model(graph, of(OperationType.MUL)), model(graph, of(OperationType.SUB)), x},
                new int[] {y});
        graph.builder.identifyInputsAndOutputs(new int[] {condition, x}, new int[] {y});
        Devices devices = Devices.of(new CpuDriver());
        try (Compilation compilation = new CompilationBuilder(graph.builder.finish())
                .setAvailable(devices)
                .setDevices(List.of(devices.find(CpuDriver.NAME)))
                .finish()) {
            for (boolean timed : new boolean[] {false, true}) {
                Execution execution = compilation.createExecution();
                execution.setMeasureTiming(timed);
                execution.setInput(0, ByteBuffer.wrap(new byte[] {1}));
                execution.setInput(1, FloatBuffer.wrap(new float[] {7}));
                execution.setOutput(0, FloatBuffer.allocate(1));
                execution.compute();
                assertEquals(timed, execution.hardwareNanos() > 0);
                assertTrue(
                        !timed || execution.driverNanos() >= execution.hardwareNanos(),
                        "the runtime's own work is in it");
            }
        }
    }

    @Test
    void isRefusedWhereAModelIs() {
        Graphs inner = new Graphs(5, OperandType.TENSOR_FLOAT32);
        int in = inner.tensor(1, 1);
        int drawn = inner.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 1, 1));
        inner.builder.addOperation(
                OperationType.RANDOM_MULTINOMIAL, new int[] {in, inner.scalar(1), inner.ints(1, 2)}, new int[] {drawn});
        inner.builder.identifyInputsAndOutputs(new int[] {in}, new int[] {drawn});
        Model random = inner.builder.finish();
        Graphs graph = new Graphs(6, OperandType.TENSOR_FLOAT32);
        int condition = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        int x = graph.tensor(1, 1);
        int y = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 1, 1));
        graph.builder.addOperation(
                OperationType.IF, new int[] {condition, model(graph, random), model(graph, random), x}, new int[] {y});
        graph.builder.identifyInputsAndOutputs(new int[] {condition, x}, new int[] {y});
        Device cpu = Devices.of(new CpuDriver()).find(CpuDriver.NAME);
        DeviceRefusal refusal = cpu.refusals(graph.builder.finish()).get(0);
        assertEquals(
                "model 1, operation 0, RANDOM_MULTINOMIAL, operation",
                refusal.problem().rule());
        assertEquals(0, refusal.operation());
    }
}
