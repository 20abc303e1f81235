package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.op.OperandBuffers;

/** Lets a device work on values in another device's memory: on copies, where the bytes cannot be reached. */
final class Staging {
    private Staging() {}

    /**
     * @param driver whose device executes
     * @param execution of the request
     */
    static void execute(ExecutionRequest request, Model model, Driver driver, Consumer<ExecutionRequest> execution) {
        if (!request.hasBuffers()) {
            execution.accept(request);
            return;
        }
        Buffer[] inputs = new Buffer[request.inputCount()];
        Buffer[] outputs = new Buffer[request.outputCount()];
        ByteBuffer[] written = new ByteBuffer[outputs.length];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = request.input(i);
            DeviceBuffer buffer = request.inputBuffer(i);
            if (isForeign(buffer, driver)) {
                ByteBuffer copy = room(buffer);
                buffer.read(copy.duplicate());
                request.passInput(i, OperandBuffers.view(model.input(i).type(), copy), request.inputDimensions(i));
            }
        }
        for (int i = 0; i < outputs.length; i++) {
            outputs[i] = request.output(i);
            if (isForeign(request.outputBuffer(i), driver)) {
                written[i] = room(request.outputBuffer(i));
                request.passOutput(i, OperandBuffers.view(model.output(i).type(), written[i]));
            }
        }
        try {
            execution.accept(request);
            for (int i = 0; i < outputs.length; i++) {
                if (written[i] != null && request.isOutputSufficient(i)) {
                    request.outputBuffer(i).write(written[i].duplicate());
                }
            }
        } finally {
            for (int i = 0; i < inputs.length; i++) {
                request.passInput(i, inputs[i], request.inputDimensions(i));
            }
            for (int i = 0; i < outputs.length; i++) {
                request.passOutput(i, outputs[i]);
            }
        }
    }

    private static boolean isForeign(DeviceBuffer buffer, Driver driver) {
        return buffer != null && buffer.owner() != driver && buffer.host() == null;
    }

    private static ByteBuffer room(DeviceBuffer buffer) {
        return ByteBuffer.allocateDirect(Math.toIntExact(buffer.size())).order(ByteOrder.LITTLE_ENDIAN);
    }
}
