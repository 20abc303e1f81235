package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.SUBGRAPH;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** Runs one of two referenced models; both take the operation's further inputs and give its outputs. */
final class If extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("condition", "thenModel", "elseModel", "arguments[]");
    private static final OperandNames OUTPUTS = OperandNames.of("results[]");
    private static final int CONDITION = INPUTS.at("condition");
    private static final int THEN_MODEL = INPUTS.at("thenModel");
    private static final int ELSE_MODEL = INPUTS.at("elseModel");
    private static final int FIRST_ARGUMENT = INPUTS.at("arguments");

    If() {
        super(
                OperationType.IF,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_3, in(TENSOR_BOOL8, SUBGRAPH, SUBGRAPH), out())
                        .variadic()
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        ReferencedModels.checkSingleBool(operation, CONDITION);
        int arguments = operation.inputCount() - FIRST_ARGUMENT;
        for (int branch : new int[] {THEN_MODEL, ELSE_MODEL}) {
            ReferencedModels.checkCounts(operation, branch, arguments, operation.outputCount());
            for (int i = 0; i < arguments; i++) {
                ReferencedModels.checkInput(operation, branch, i, operation.input(FIRST_ARGUMENT + i));
            }
            for (int i = 0; i < operation.outputCount(); i++) {
                ReferencedModels.checkOutput(operation, branch, i, operation.output(i));
            }
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.require(
                operation.count(CONDITION) == 1, "elements of the condition", operation.count(CONDITION), "1");
    }

    @Override
    public void execute(ExecutionContext operation) {
        SubgraphRunner branch = operation.subgraph(operation.bool(CONDITION) ? THEN_MODEL : ELSE_MODEL);
        OperandValue[] results = branch.run(operation.inputsFrom(FIRST_ARGUMENT));
        for (int i = 0; i < results.length; i++) {
            ReferencedModels.assign(results[i], operation.output(i));
        }
    }
}
