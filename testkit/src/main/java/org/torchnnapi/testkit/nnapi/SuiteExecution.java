package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Event;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/** One execution of a test, with the memories and the way of computing its suite asks for. */
final class SuiteExecution {
    /** Bytes that hardly a test is right with. */
    static final byte UNWRITTEN = 0x5A;

    private static final long HASTE_MICROS = 500;
    /** Several executions must give the same through one burst. */
    private static final int BURST_ROUNDS = 3;

    private final TestCase test;
    private final NnapiCaseSuite suite;
    private final Compilation compilation;
    private final Execution execution;
    private final ByteBuffer[] results;
    private final Memory[] deviceOutputs;
    /** By input, where the burst suite has bound it. */
    private final ByteBuffer[] places;
    /** Of the fenced suite, what writes the inputs. */
    private FencedInputs supply;

    SuiteExecution(TestCase test, NnapiCaseSuite suite, Compilation compilation) {
        this.test = test;
        this.suite = suite;
        this.compilation = compilation;
        execution = compilation.createExecution();
        places = new ByteBuffer[test.main().inputs().length];
        results = new ByteBuffer[test.main().outputs().length];
        deviceOutputs = new Memory[results.length];
        execution.setReusable(suite == NnapiCaseSuite.BURST);
        bindInputs();
        bindOutputs();
    }

    private TestOperand operand(int index) {
        return test.main().operands().get(index);
    }

    private void bindInputs() {
        if (suite == NnapiCaseSuite.FENCED) {
            supply = new FencedInputs();
        }
        int[] inputs = test.main().inputs();
        for (int i = 0; i < inputs.length; i++) {
            TestOperand input = operand(inputs[i]);
            if (input.data() == null) {
                execution.setInput(i, null);
            } else if (suite == NnapiCaseSuite.DEVICE_MEMORY) {
                bindDeviceInput(i, input);
            } else if (suite == NnapiCaseSuite.FENCED) {
                execution.setInput(i, supply.add(input), input.descriptor().dimensions());
            } else {
                execution.setInput(
                        i, input.data().duplicate().clear(), input.descriptor().dimensions());
            }
        }
    }

    private void bindDeviceInput(int position, TestOperand input) {
        Memory memory = new MemoryDescription()
                .addInputRole(compilation, position, 1f)
                .setDimensions(input.descriptor().dimensions())
                .createMemory();
        Memory.copy(Memory.ofBuffer(input.data().duplicate().clear()), memory);
        execution.setInputFromMemory(position, memory, 0, 0);
    }

    private void bindOutputs() {
        int[] outputs = test.main().outputs();
        for (int i = 0; i < outputs.length; i++) {
            TestOperand output = operand(outputs[i]);
            if (suite == NnapiCaseSuite.DEVICE_MEMORY) {
                Memory memory = new MemoryDescription()
                        .addOutputRole(compilation, i, 1f)
                        .setDimensions(output.descriptor().dimensions())
                        .createMemory();
                execution.setOutputFromMemory(i, memory, 0, 0);
                deviceOutputs[i] = memory;
            }
            results[i] =
                    ByteBuffer.allocate(Math.max(1, output.expectedBytes())).order(ByteOrder.LITTLE_ENDIAN);
            if (suite != NnapiCaseSuite.DEVICE_MEMORY) {
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
        if (suite == NnapiCaseSuite.DEVICE_MEMORY) {
            for (int i = 0; i < results.length; i++) {
                Memory.copy(
                        deviceOutputs[i], Memory.ofBuffer(results[i].duplicate().clear()));
            }
        }
    }

    /**
     * Rounds with inputs in new places and outputs forgotten in between: what a burst keeps must not be one round's
     * values.
     */
    private void computeInBurst() {
        try (Burst burst = new Burst(compilation)) {
            for (int round = 0; round < BURST_ROUNDS; round++) {
                moveInputs();
                for (ByteBuffer result : results) {
                    fill(result, UNWRITTEN);
                }
                execution.burstCompute(burst);
            }
        }
    }

    /** Binds each input at a place of its own, and spoils the one where it was. */
    private void moveInputs() {
        int[] inputs = test.main().inputs();
        for (int i = 0; i < inputs.length; i++) {
            TestOperand input = operand(inputs[i]);
            if (input.data() != null) {
                if (places[i] != null) {
                    fill(places[i], UNWRITTEN);
                }
                places[i] = ByteBuffer.allocateDirect(input.data().capacity()).order(ByteOrder.LITTLE_ENDIAN);
                places[i].put(0, input.data(), 0, input.data().capacity());
                execution.setInput(
                        i,
                        places[i].duplicate().order(ByteOrder.LITTLE_ENDIAN),
                        input.descriptor().dimensions());
            }
        }
    }

    static void fill(ByteBuffer buffer, byte value) {
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.put(i, value);
        }
    }

    /** Computes behind executions that only then write its inputs, and behind another of the same model. */
    private void computeFenced() {
        SuiteExecution other = new SuiteExecution(test, NnapiCaseSuite.GENERATED, compilation);
        List<Event> before = new ArrayList<>();
        before.add(other.execution.startCompute());
        before.addAll(supply.start());
        Event end = execution.startComputeWithDependencies(before, null);
        // One that waits for nothing ends while its inputs are not there; most have the time to.
        for (long i = 0; i < HASTE_MICROS && !end.isDone(); i += HASTE_MICROS / 10) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(HASTE_MICROS / 10));
        }
        supply.release();
        end.await();
    }

    int[] outputDimensions(int position) {
        return execution.outputDimensions(position);
    }

    ByteBuffer result(int position) {
        return results[position];
    }
}
