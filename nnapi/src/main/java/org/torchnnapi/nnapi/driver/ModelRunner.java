package org.torchnnapi.nnapi.driver;

import java.util.function.Consumer;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;

/** Runs a referenced model for IF or WHILE by whatever executes it, with memory for its outputs that grows where it must. */
public final class ModelRunner implements ControlledRunner {
    private final Consumer<ExecutionRequest> executor;
    private final ExecutionRequest request;
    private final OperandValue[] outputs;

    public ModelRunner(Model model, Consumer<ExecutionRequest> executor) {
        this.executor = executor;
        request = new ExecutionRequest(model);
        outputs = new OperandValue[model.outputCount()];
        for (int i = 0; i < outputs.length; i++) {
            outputs[i] = new OperandValue(model.output(i).descriptor());
        }
    }

    @Override
    public void control(ExecutionControl newControl) {
        request.control(newControl);
    }

    @Override
    public long loopTimeoutNanos() {
        return request.control().loopTimeoutNanos();
    }

    @Override
    public void checkpoint() {
        request.control().check();
    }

    @Override
    public OperandValue[] run(OperandValue[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            boolean given = !arguments[i].isOmitted();
            request.passInput(i, given ? arguments[i].data() : null, given ? arguments[i].dimensions() : null);
        }
        for (int i = 0; i < outputs.length; i++) {
            if (outputs[i].data() == null) {
                outputs[i].setData(OperandBuffers.allocate(outputs[i].type(), (int) outputs[i].declared().elementCount()), true);
            }
            request.passOutput(i, outputs[i].data());
        }
        compute();
        for (int i = 0; i < outputs.length; i++) {
            outputs[i].resize(request.outputDimensions(i));
            outputs[i].setKnown(true);
        }
        return outputs;
    }

    private void compute() {
        while (true) {
            try {
                executor.accept(request);
                return;
            } catch (NnapiException e) {
                if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE || !grow()) {
                    throw e;
                }
            }
        }
    }

    private boolean grow() {
        boolean grown = false;
        for (int i = 0; i < outputs.length; i++) {
            int[] dimensions = request.outputDimensions(i);
            if (!request.isOutputSufficient(i) && dimensions != null) {
                outputs[i].resize(dimensions);
                request.passOutput(i, outputs[i].data());
                grown = true;
            }
        }
        return grown;
    }
}
