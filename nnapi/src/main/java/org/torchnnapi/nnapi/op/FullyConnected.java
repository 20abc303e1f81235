package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * {@code input x weights^T + bias}. The input is flattened to {@code [batches, inputSize]}; weights {@code [units,
 * inputSize]}, bias {@code [units]}, output {@code [batches, units]}.
 */
final class FullyConnected extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "weights", "bias", "activation");
    private static final int INPUT = INPUTS.at("input");
    private static final int WEIGHTS = INPUTS.at("weights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int ACTIVATION = INPUTS.at("activation");

    FullyConnected() {
        super(
                OperationType.FULLY_CONNECTED,
                Signatures.builder(INPUTS)
                        .row(V1_0, times(3, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_0, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_2, times(3, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                        .row(
                                V1_3,
                                in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32),
                                out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .tail(V1_0, INT32)
                        .zeroSizedInputs()
                        .rank("input", 2, 4)
                        .rank("weights", 2)
                        .rank("bias", 1)
                        .range("activation", 0, 3)
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        QuantizedProduct.check(operation, INPUT, WEIGHTS, BIAS, OUT, 0);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int units = operation.dim(WEIGHTS, 0);
        int size = operation.dim(WEIGHTS, 1);
        operation.require(units > 0, "units", units, "> 0");
        operation.require(size > 0, "input size of the weights", size, "> 0");
        operation.require(
                operation.count(INPUT) % size == 0,
                "input elements",
                operation.count(INPUT),
                "a multiple of the weights' input size, " + size);
        operation.requireDims(BIAS, units);
        operation.setOutput(OUT, operation.count(INPUT) / size, units);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int units = operation.dim(WEIGHTS, 0);
        int size = operation.dim(WEIGHTS, 1);
        ProductSum sum = ProductSum.of(operation, INPUT, WEIGHTS, BIAS, OUT, operation.activation(ACTIVATION));
        for (int i = 0; i < operation.outCount(OUT); i++) {
            int unit = i % units;
            sum.start(unit);
            for (int j = 0; j < size; j++) {
                sum.add(i / units * size + j, unit * size + j);
            }
            sum.finish(i);
        }
    }
}
