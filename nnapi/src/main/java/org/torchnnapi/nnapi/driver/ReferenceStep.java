package org.torchnnapi.nnapi.driver;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.ExecutionContext;
import org.torchnnapi.nnapi.op.OperandValue;
import org.torchnnapi.nnapi.op.OperationContext;
import org.torchnnapi.nnapi.op.OperationDefinition;
import org.torchnnapi.nnapi.op.OperationTable;

/** An operation of a {@link ReferenceProgram}, with the values that it reads and writes. */
final class ReferenceStep {
    final OperationDefinition definition;
    final ExecutionContext context;
    final OperandValue[] inputs;
    final OperandValue[] outputs;
    final boolean zeroSizedInputs;
    /** Whether the shapes of the outputs are worked out. */
    boolean prepared;

    ReferenceStep(Operation operation, OperandValue[] values) {
        definition = OperationTable.get(operation.type());
        inputs = new OperandValue[operation.inputCount()];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = values[operation.input(i)];
        }
        outputs = new OperandValue[operation.outputCount()];
        for (int i = 0; i < outputs.length; i++) {
            outputs[i] = values[operation.output(i)];
        }
        context = new ExecutionContext(operation.type(), inputs, outputs);
        zeroSizedInputs = definition.signatures().acceptsZeroSizedInputs();
    }

    /** @throws NnapiException if the inputs are illegal, or the definition failed */
    void prepare() {
        try {
            definition.prepare(context);
        } catch (NnapiException | OperationContext.ValueNotKnownYet expected) {
            throw expected;
        } catch (RuntimeException | OutOfMemoryError e) {
            throw failure(e);
        }
    }

    void execute() {
        try {
            definition.execute(context);
        } catch (NnapiException expected) {
            throw expected;
        } catch (RuntimeException | OutOfMemoryError e) {
            throw failure(e);
        }
    }

    /** What a definition did not foresee still reaches the caller as a result code. */
    private NnapiException failure(Throwable cause) {
        return new NnapiException(
                cause instanceof OutOfMemoryError ? ResultCode.OUT_OF_MEMORY : ResultCode.OP_FAILED,
                context.operation() + ": " + cause,
                cause);
    }

    /** @throws NnapiException if an input is left out or empty that must not be */
    void checkInputs() {
        for (int i = 0; i < inputs.length; i++) {
            OperandValue input = inputs[i];
            if (input.isOmitted()) {
                context.require(
                        definition.signatures().isOptional(i), "input " + i, "omitted", "a value: it is not optional");
            } else if (input.count() == 0 && input.type().isTensor() && !zeroSizedInputs) {
                throw context.illegal("input " + i, "an empty tensor", "at least one element");
            }
        }
    }

    /** Whether an optional input is one of the model's, which the caller may leave out. */
    boolean mayLoseInput(OperandValue[] modelInputs) {
        for (int i = 0; i < inputs.length; i++) {
            if (definition.signatures().isOptional(i)
                    && Arrays.asList(modelInputs).contains(inputs[i])) {
                return true;
            }
        }
        return false;
    }

    boolean inputsShaped() {
        for (OperandValue input : inputs) {
            if (!input.isOmitted() && !input.hasShape() && input.subgraph() == null) {
                return false;
            }
        }
        return true;
    }
}
