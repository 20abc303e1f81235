package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.SUBGRAPH;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.concurrent.TimeUnit;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Runs a body model as long as a condition model says so. Arguments are, in this order, m values that go around and
 * come out, k that go around only, and n that stay as they are; the body takes all and gives the first m + k.
 */
final class While extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("conditionModel", "bodyModel", "arguments[]");
    private static final OperandNames OUTPUTS = OperandNames.of("results[]");
    private static final int CONDITION_MODEL = INPUTS.at("conditionModel");
    private static final int BODY_MODEL = INPUTS.at("bodyModel");
    private static final int FIRST_ARGUMENT = INPUTS.at("arguments");

    While() {
        super(
                OperationType.WHILE,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_3, in(SUBGRAPH, SUBGRAPH), out())
                        .variadic()
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        int arguments = operation.inputCount() - FIRST_ARGUMENT;
        ReferencedModels.checkCounts(operation, CONDITION_MODEL, arguments, 1);
        ReferencedModels.checkConditionOutput(operation, CONDITION_MODEL);
        Model body = operation.inputModel(BODY_MODEL);
        int loopCarried = body == null ? operation.outputCount() : body.outputCount();
        operation.require(
                operation.outputCount() <= loopCarried,
                "outputs",
                operation.outputCount(),
                "<= outputs of the body, " + loopCarried);
        operation.require(loopCarried <= arguments, "outputs of the body", loopCarried, "<= arguments, " + arguments);
        ReferencedModels.checkCounts(operation, BODY_MODEL, arguments, loopCarried);
        for (int i = 0; i < arguments; i++) {
            ReferencedModels.checkInput(operation, CONDITION_MODEL, i, operation.input(FIRST_ARGUMENT + i));
            ReferencedModels.checkInput(operation, BODY_MODEL, i, operation.input(FIRST_ARGUMENT + i));
        }
        for (int i = 0; body != null && i < Math.min(loopCarried, body.inputCount()); i++) {
            ReferencedModels.checkOutput(operation, BODY_MODEL, i, body.input(i).descriptor());
        }
        for (int i = 0; i < operation.outputCount(); i++) {
            ReferencedModels.checkOutput(operation, BODY_MODEL, i, operation.output(i));
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {}

    @Override
    public void execute(ExecutionContext operation) {
        SubgraphRunner condition = operation.subgraph(CONDITION_MODEL);
        SubgraphRunner body = operation.subgraph(BODY_MODEL);
        OperandValue[] state = operation.inputsFrom(FIRST_ARGUMENT);
        OperandValue[] carried = null;
        long start = System.nanoTime();
        while (condition.run(state)[0].ints().get(0) != 0) {
            if (System.nanoTime() - start > body.loopTimeoutNanos()) {
                throw new NnapiException(
                        ResultCode.MISSED_DEADLINE_TRANSIENT,
                        "WHILE: loop ran for " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)
                                + " ms (expected: at most " + TimeUnit.NANOSECONDS.toMillis(body.loopTimeoutNanos())
                                + ")");
            }
            body.checkpoint();
            OperandValue[] results = body.run(state);
            if (carried == null) {
                carried = new OperandValue[results.length];
                for (int i = 0; i < results.length; i++) {
                    carried[i] = new OperandValue(results[i].declared().withDimensions());
                }
            }
            // The body owns its results and overwrites them in the next round, so they are copied before they go
            // around.
            for (int i = 0; i < results.length; i++) {
                ReferencedModels.assign(results[i], carried[i]);
                state[i] = carried[i];
            }
        }
        for (int i = 0; i < operation.outputCount(); i++) {
            ReferencedModels.assign(state[i], operation.output(i));
        }
    }
}
