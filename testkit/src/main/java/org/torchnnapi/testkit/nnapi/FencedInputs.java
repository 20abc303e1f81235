package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Event;
import org.torchnnapi.nnapi.runtime.Execution;

/**
 * Inputs of a fenced execution that other executions write, after a fence that the test holds: until it is released
 * they hold other values, so that an execution which does not wait for its dependencies computes with these.
 */
final class FencedInputs {
    private static final Compilation COPY = compile();

    private final List<ByteBuffer> sources = new ArrayList<>();
    private final List<ByteBuffer> inputs = new ArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);

    /** The bytes of any value, copied: a RESHAPE of as many 8-bit numbers. */
    private static Compilation compile() {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor bytes = OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 1, 0, 0);
        int from = builder.addOperand(bytes);
        int shape = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 1));
        builder.setOperandValue(shape, -1);
        int to = builder.addOperand(bytes);
        builder.addOperation(OperationType.RESHAPE, new int[] {from, shape}, new int[] {to});
        builder.identifyInputsAndOutputs(new int[] {from}, new int[] {to});
        Model model = builder.finish();
        Device reference = Devices.installed().reference();
        return new CompilationBuilder(model).setDevices(List.of(reference)).finish();
    }

    /** The place where the input will be; an empty one is there already. */
    ByteBuffer add(TestCase.TestOperand input) {
        ByteBuffer source = input.data().duplicate().clear();
        ByteBuffer place = ByteBuffer.allocateDirect(source.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        if (source.hasRemaining()) {
            SuiteExecution.fill(place, SuiteExecution.UNWRITTEN);
            sources.add(source);
            inputs.add(place);
        }
        return place.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The executions that write the inputs, all behind the fence. */
    List<Event> start() {
        Event gate = Event.of(new Fence() {
            @Override
            public void await() {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public boolean isSignaled() {
                return released.getCount() == 0;
            }
        });
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            Execution copy = COPY.createExecution();
            copy.setInput(0, sources.get(i), sources.get(i).remaining());
            copy.setOutput(0, inputs.get(i));
            events.add(copy.startComputeWithDependencies(List.of(gate), null));
        }
        return events;
    }

    /** Lets the inputs be written. */
    void release() {
        released.countDown();
    }
}
