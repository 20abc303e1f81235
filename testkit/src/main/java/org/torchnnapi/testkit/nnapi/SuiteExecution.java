package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Event;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/** One execution of a test, with the memories and the way of computing its suite asks for. */
final class SuiteExecution {
    /** Several executions must give the same through one burst. */
    private static final int BURST_ROUNDS = 3;

    private final TestCase test;
    private final Suite suite;
    private final Compilation compilation;
    private final Execution execution;
    private final ByteBuffer[] results;
    private final Memory[] deviceOutputs;

    SuiteExecution(TestCase test, Suite suite, Compilation compilation) {
        this.test = test;
        this.suite = suite;
        this.compilation = compilation;
        execution = compilation.createExecution();
        results = new ByteBuffer[test.main().outputs().length];
        deviceOutputs = new Memory[results.length];
        execution.setReusable(suite == Suite.BURST);
        bindInputs();
        bindOutputs();
    }

    private TestOperand operand(int index) {
        return test.main().operands().get(index);
    }

    private void bindInputs() {
        int[] inputs = test.main().inputs();
        for (int i = 0; i < inputs.length; i++) {
            TestOperand input = operand(inputs[i]);
            if (input.data() == null) {
                execution.setInput(i, null);
            } else if (suite == Suite.DEVICE_MEMORY) {
                bindDeviceInput(i, input);
            } else {
                execution.setInput(i, input.data().duplicate().clear(), input.descriptor().dimensions());
            }
        }
    }

    private void bindDeviceInput(int position, TestOperand input) {
        Memory memory = new MemoryDescription().addInputRole(compilation, position, 1f).setDimensions(input.descriptor().dimensions()).createMemory();
        Memory.copy(Memory.ofBuffer(input.data().duplicate().clear()), memory);
        execution.setInputFromMemory(position, memory, 0, 0);
    }

    private void bindOutputs() {
        int[] outputs = test.main().outputs();
        for (int i = 0; i < outputs.length; i++) {
            TestOperand output = operand(outputs[i]);
            if (suite == Suite.DEVICE_MEMORY) {
                Memory memory = new MemoryDescription().addOutputRole(compilation, i, 1f).setDimensions(output.descriptor().dimensions()).createMemory();
                execution.setOutputFromMemory(i, memory, 0, 0);
                deviceOutputs[i] = memory;
            }
            results[i] = ByteBuffer.allocate(Math.max(1, output.expectedBytes())).order(ByteOrder.LITTLE_ENDIAN);
            if (suite != Suite.DEVICE_MEMORY) {
                execution.setOutput(i, results[i]);
            }
        }
    }

    void setLoopTimeout(Duration timeout) {
        execution.setLoopTimeout(timeout);
    }

    void compute() {
        switch (suite) {
            case BURST -> computeInBurst();
            case FENCED -> computeFenced();
            default -> execution.compute();
        }
        if (suite == Suite.DEVICE_MEMORY) {
            for (int i = 0; i < results.length; i++) {
                Memory.copy(deviceOutputs[i], Memory.ofBuffer(results[i].duplicate().clear()));
            }
        }
    }

    private void computeInBurst() {
        try (Burst burst = new Burst(compilation)) {
            for (int round = 0; round < BURST_ROUNDS; round++) {
                execution.burstCompute(burst);
            }
        }
    }

    /** Computes behind another execution of the same model. */
    private void computeFenced() {
        SuiteExecution first = new SuiteExecution(test, Suite.GENERATED, compilation);
        Event before = first.execution.startCompute();
        Event end = execution.startComputeWithDependencies(List.of(before), Duration.ofMinutes(1));
        end.await();
    }

    int[] outputDimensions(int position) {
        return execution.outputDimensions(position);
    }

    ByteBuffer result(int position) {
        return results[position];
    }
}
