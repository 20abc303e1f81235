package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_SYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.out;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * One step of an LSTM layer with 8-bit weights and 16-bit inner state. Gate sums are held with 12 fractional bits,
 * gates with 15, the cell state with 11, the output with 7 around zero point 128.
 */
final class Quantized16BitLstm extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "inputWeights[4]", "recurrentWeights[4]", "bias[4]", "cellState", "outputState");
    private static final OperandNames OUTPUTS = OperandNames.of("cellState", "output");
    private static final int INPUT = INPUTS.at("input");
    private static final int INPUT_WEIGHTS = INPUTS.at("inputWeights");
    private static final int RECURRENT_WEIGHTS = INPUTS.at("recurrentWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");

    private static final int CELL_STATE_OUT = OUTPUTS.at("cellState");
    private static final int OUT = OUTPUTS.at("output");

    private static final int INPUT_GATE = 0;
    private static final int FORGET_GATE = 1;
    private static final int CELL_GATE = 2;
    private static final int OUTPUT_GATE = 3;
    private static final int GATES = 4;

    private static final int SUM_BITS = 12;
    private static final int GATE_BITS = 15;
    private static final int CELL_BITS = 11;
    private static final float ACTIVATION_SCALE = 1f / 128;
    private static final int ACTIVATION_ZERO = 128;
    private static final float CELL_SCALE = 1f / 2048;

    Quantized16BitLstm() {
        super(
                OperationType.QUANTIZED_16BIT_LSTM,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_2,
                                join(
                                        join(times(9, TENSOR_QUANT8_ASYMM), times(4, TENSOR_INT32)),
                                        TENSOR_QUANT16_SYMM,
                                        TENSOR_QUANT8_ASYMM),
                                out(TENSOR_QUANT16_SYMM, TENSOR_QUANT8_ASYMM))
                        .rank("input", 2)
                        .rank("outputState", 2)
                        .rank("inputWeights", 2)
                        .rank("recurrentWeights", 2)
                        .rank("bias", 1)
                        .inputQuantization("input", ACTIVATION_SCALE, ACTIVATION_ZERO, TENSOR_QUANT8_ASYMM)
                        .inputQuantization("outputState", ACTIVATION_SCALE, ACTIVATION_ZERO, TENSOR_QUANT8_ASYMM)
                        .inputQuantization("cellState", CELL_SCALE, 0, TENSOR_QUANT16_SYMM)
                        .outputQuantization("output", ACTIVATION_SCALE, ACTIVATION_ZERO, TENSOR_QUANT8_ASYMM)
                        .outputQuantization("cellState", CELL_SCALE, 0, TENSOR_QUANT16_SYMM)
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        OperandDescriptor weights = operation.input(INPUT_WEIGHTS);
        for (int i = INPUT_WEIGHTS; i < BIAS; i++) {
            OperandDescriptor other = operation.input(i);
            operation.requireInTheEnd(
                    other.scale() == weights.scale() && other.zeroPoint() == weights.zeroPoint(),
                    "quantization of weights " + i,
                    other.scale() + "/" + other.zeroPoint(),
                    weights.scale() + "/" + weights.zeroPoint());
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int batches = operation.dim(INPUT, 0);
        int units = operation.dim(OUTPUT_STATE, 1);
        for (int gate = 0; gate < GATES; gate++) {
            operation.requireDims(INPUT_WEIGHTS + gate, units, operation.dim(INPUT, 1));
            operation.requireDims(RECURRENT_WEIGHTS + gate, units, units);
            operation.requireDims(BIAS + gate, units);
        }
        operation.requireDims(OUTPUT_STATE, batches, units);
        operation.requireDims(CELL_STATE, batches, units);
        operation.setOutput(CELL_STATE_OUT, batches, units);
        operation.setOutput(OUT, batches, units);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int units = operation.dim(OUTPUT_STATE, 1);
        FloatView cell = operation.floats(CELL_STATE);
        FloatView cellOut = operation.outFloats(CELL_STATE_OUT);
        FloatView out = operation.outFloats(OUT);
        for (int b = 0; b < operation.dim(INPUT, 0); b++) {
            for (int u = 0; u < units; u++) {
                double input = gate(RecurrentActivation.sigmoid(sum(operation, INPUT_GATE, b, u)));
                double forget = gate(RecurrentActivation.sigmoid(sum(operation, FORGET_GATE, b, u)));
                double candidate = gate(StrictMath.tanh(sum(operation, CELL_GATE, b, u)));
                double output = gate(RecurrentActivation.sigmoid(sum(operation, OUTPUT_GATE, b, u)));
                int at = b * units + u;
                double next = FixedPoint.round(
                        FixedPoint.round(forget * cell.get(at), CELL_BITS)
                                + FixedPoint.round(input * candidate, CELL_BITS),
                        CELL_BITS);
                cellOut.set(at, (float) next);
                out.set(at, (float) gate(output * gate(StrictMath.tanh(next))));
            }
        }
    }

    private static double gate(double value) {
        return FixedPoint.round(value, GATE_BITS);
    }

    /**
     * The row (recurrent weights, input weights) times the column (input, output state): Android's reference joins them
     * in these different orders, and the expected results of its tests follow from that.
     */
    private static double sum(ExecutionContext operation, int gate, int batch, int unit) {
        int inputs = operation.dim(INPUT, 1);
        int units = operation.dim(OUTPUT_STATE, 1);
        double scale = (double) operation.scale(INPUT) * operation.scale(INPUT_WEIGHTS);
        long sum = operation.ints(BIAS + gate).get(unit);
        for (int i = 0; i < inputs + units; i++) {
            int weight = i < units
                    ? weight(operation, RECURRENT_WEIGHTS + gate, unit * units + i)
                    : weight(operation, INPUT_WEIGHTS + gate, unit * inputs + i - units);
            int activation = i < inputs
                    ? operation.ints(INPUT).get(batch * inputs + i)
                    : operation.ints(OUTPUT_STATE).get(batch * units + i - inputs);
            sum += (long) weight * (activation - ACTIVATION_ZERO);
        }
        return FixedPoint.round(sum * scale, SUM_BITS);
    }

    private static int weight(ExecutionContext operation, int input, int index) {
        return operation.ints(input).get(index) - operation.zeroPoint(input);
    }
}
