package org.torchnnapi.samples.toy;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;

/**
 * A whole NNAPI device in one file: it adds and multiplies float tensors of equal, known shape. The runtime finds it by
 * {@link java.util.ServiceLoader}, gives it what it supports, and keeps the rest for other devices.
 */
public final class ToyDriver implements Driver {
    private static final int NO_ACTIVATION = 0;

    /** For {@link java.util.ServiceLoader}. */
    public ToyDriver() {}

    @Override
    public String name() {
        return "toy";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public DeviceType type() {
        return DeviceType.ACCELERATOR;
    }

    @Override
    public FeatureLevel featureLevel() {
        return FeatureLevel.V1_0;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(new Capabilities.Performance(0.5f, 0.5f));
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (int i = 0; i < model.operations().size(); i++) {
            Problem problem = problem(model, model.operations().get(i));
            if (problem != null) {
                refusals.add(new DeviceRefusal(i, problem));
            }
        }
        return refusals;
    }

    /** Null when supported, else the rule that the operation breaks. */
    private static Problem problem(Model model, Operation operation) {
        if (operation.type() != OperationType.ADD && operation.type() != OperationType.MUL) {
            return Problem.of("operation", operation.type(), "ADD or MUL");
        }
        OperandDescriptor a = model.operand(operation.input(0)).descriptor();
        OperandDescriptor b = model.operand(operation.input(1)).descriptor();
        if (a.type() != OperandType.TENSOR_FLOAT32 || !a.isFullySpecified() || !a.equals(b)) {
            return Problem.of("tensors", a + " and " + b, "float32 of one known shape");
        }
        var activation = model.operand(operation.input(2)).value();
        return activation != null && activation.getInt(0) == NO_ACTIVATION
                ? null
                : Problem.of(
                        "activation", activation == null ? "not constant" : activation.getInt(0), "a constant, none");
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        return new Program(model);
    }

    /** Runs operation after operation; every value gets a buffer of its own. */
    private record Program(Model model) implements PreparedModel {
        @Override
        public void execute(ExecutionRequest request) {
            FloatBuffer[] values = new FloatBuffer[model.operands().size()];
            for (int i = 0; i < model.inputCount(); i++) {
                values[model.inputs()[i]] = (FloatBuffer) request.input(i);
            }
            for (int i = 0; i < model.outputCount(); i++) {
                values[model.outputs()[i]] = (FloatBuffer) request.output(i);
                request.reportOutput(i, model.output(i).descriptor().dimensions(), true);
            }
            for (Operation operation : model.operations()) {
                request.control().check();
                FloatBuffer a = value(values, operation.input(0));
                FloatBuffer b = value(values, operation.input(1));
                FloatBuffer out = value(values, operation.output(0));
                int count =
                        (int) model.operand(operation.output(0)).descriptor().elementCount();
                for (int i = 0; i < count; i++) {
                    out.put(i, operation.type() == OperationType.ADD ? a.get(i) + b.get(i) : a.get(i) * b.get(i));
                }
            }
        }

        private FloatBuffer value(FloatBuffer[] values, int operand) {
            if (values[operand] == null) {
                var constant = model.operand(operand).value();
                values[operand] = constant != null
                        ? constant.asFloatBuffer()
                        : FloatBuffer.allocate(
                                (int) model.operand(operand).descriptor().elementCount());
            }
            return values[operand];
        }

        @Override
        public void close() {}
    }
}
