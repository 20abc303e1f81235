package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_SYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.out;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * One step of an LSTM layer with signed 8-bit activations, optional peephole, projection, layer normalisation and a
 * coupled input gate. Gate sums are rounded to the intermediate scales with layer normalisation and to 12 fractional
 * bits without, gates to 15 fractional bits, the hidden state to its own scale.
 */
final class QuantizedLstm extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "input",
            "inputWeights[4]",
            "recurrentWeights[4]",
            "peepholeWeights[3]",
            "bias[4]",
            "projectionWeights",
            "projectionBias",
            "outputState",
            "cellState",
            "normalizationWeights[4]",
            "cellClip",
            "projectionClip",
            "intermediateScales[4]",
            "hiddenZeroPoint",
            "hiddenScale");
    private static final OperandNames OUTPUTS = OperandNames.of("outputState", "cellState", "output");
    private static final int INPUT = INPUTS.at("input");
    private static final int INPUT_WEIGHTS = INPUTS.at("inputWeights");
    private static final int RECURRENT_WEIGHTS = INPUTS.at("recurrentWeights");
    private static final int PEEPHOLE = INPUTS.at("peepholeWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int PROJECTION = INPUTS.at("projectionWeights");
    private static final int PROJECTION_BIAS = INPUTS.at("projectionBias");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int NORMALISATION = INPUTS.at("normalizationWeights");
    private static final int CELL_CLIP = INPUTS.at("cellClip");
    private static final int PROJECTION_CLIP = INPUTS.at("projectionClip");
    private static final int INTERMEDIATE_SCALES = INPUTS.at("intermediateScales");
    private static final int HIDDEN_ZERO_POINT = INPUTS.at("hiddenZeroPoint");
    private static final int HIDDEN_SCALE = INPUTS.at("hiddenScale");

    private static final int OUTPUT_STATE_OUT = OUTPUTS.at("outputState");
    private static final int CELL_STATE_OUT = OUTPUTS.at("cellState");
    private static final int OUT = OUTPUTS.at("output");

    private static final int INPUT_GATE = 0;
    private static final int FORGET_GATE = 1;
    private static final int CELL_GATE = 2;
    private static final int OUTPUT_GATE = 3;
    private static final int GATES = 4;

    private static final int SUM_BITS = 12;
    private static final int GATE_BITS = 15;
    /** The number next to 1 that a gate can be. */
    private static final double LARGEST_GATE = 1 - 0x1p-15;

    QuantizedLstm() {
        super(
                OperationType.QUANTIZED_LSTM,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_3,
                                join(
                                        join(
                                                join(
                                                        join(
                                                                join(
                                                                        join(
                                                                                times(1, TENSOR_QUANT8_ASYMM_SIGNED),
                                                                                times(8, TENSOR_QUANT8_SYMM)),
                                                                        times(3, TENSOR_QUANT16_SYMM)),
                                                                times(4, TENSOR_INT32)),
                                                        TENSOR_QUANT8_SYMM,
                                                        TENSOR_INT32,
                                                        TENSOR_QUANT8_ASYMM_SIGNED,
                                                        TENSOR_QUANT16_SYMM),
                                                times(4, TENSOR_QUANT16_SYMM)),
                                        FLOAT32,
                                        FLOAT32,
                                        FLOAT32,
                                        FLOAT32,
                                        FLOAT32,
                                        FLOAT32,
                                        INT32,
                                        FLOAT32),
                                out(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_SYMM, TENSOR_QUANT8_ASYMM_SIGNED))
                        .optional(
                                "inputWeights[0]",
                                "recurrentWeights[0]",
                                "peepholeWeights",
                                "bias[0]",
                                "projectionWeights",
                                "projectionBias",
                                "normalizationWeights")
                        .rank("input", 2)
                        .rank("outputState", 2)
                        .rank("cellState", 2)
                        .sameQuantization("outputState", "outputState")
                        .sameQuantization("cellState", "cellState")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int batches = operation.dim(INPUT, 0);
        int units = operation.dim(INPUT_WEIGHTS + OUTPUT_GATE, 0);
        int outputs = operation.dim(RECURRENT_WEIGHTS + OUTPUT_GATE, 1);
        boolean coupled = !operation.has(INPUT_WEIGHTS);
        operation.require(
                coupled != operation.has(RECURRENT_WEIGHTS) && coupled != operation.has(BIAS),
                "input gate weights, recurrent weights and bias",
                "given in part",
                "all of them or none");
        boolean normalised = operation.has(NORMALISATION + OUTPUT_GATE);
        for (int gate = coupled ? FORGET_GATE : INPUT_GATE; gate < GATES; gate++) {
            operation.requireDims(INPUT_WEIGHTS + gate, units, operation.dim(INPUT, 1));
            operation.requireDims(RECURRENT_WEIGHTS + gate, units, outputs);
            operation.requireDims(BIAS + gate, units);
            operation.require(
                    operation.has(NORMALISATION + gate) == normalised,
                    "layer normalisation",
                    "given in part",
                    "all weights or none");
            if (normalised) {
                operation.requireDims(NORMALISATION + gate, units);
                operation.require(
                        operation.floatValue(INTERMEDIATE_SCALES + gate) > 0,
                        "intermediate scale",
                        operation.floatValue(INTERMEDIATE_SCALES + gate),
                        "> 0 with layer normalisation");
            }
        }
        for (int i = 0; i < 3; i++) {
            if (operation.has(PEEPHOLE + i)) {
                operation.requireDims(PEEPHOLE + i, units);
            }
        }
        if (operation.has(PROJECTION)) {
            operation.requireDims(PROJECTION, outputs, units);
        } else {
            operation.require(
                    outputs == units,
                    "output size",
                    outputs,
                    "the number of units, " + units + ", without projection weights");
        }
        if (operation.has(PROJECTION_BIAS) && operation.has(PROJECTION)) {
            operation.requireDims(PROJECTION_BIAS, outputs);
        }
        operation.require(
                operation.floatValue(HIDDEN_SCALE) > 0,
                "hidden state scale",
                operation.floatValue(HIDDEN_SCALE),
                "> 0");
        operation.requireDims(OUTPUT_STATE, batches, outputs);
        operation.requireDims(CELL_STATE, batches, units);
        operation.setOutput(OUTPUT_STATE_OUT, batches, outputs);
        operation.setOutput(CELL_STATE_OUT, batches, units);
        operation.setOutput(OUT, batches, outputs);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int units = operation.dim(CELL_STATE, 1);
        for (int b = 0; b < operation.dim(INPUT, 0); b++) {
            double[] cell = new double[units];
            for (int u = 0; u < units; u++) {
                cell[u] = operation.floats(CELL_STATE).get(b * units + u);
            }
            double[] forget = gate(operation, FORGET_GATE, b, cell, false);
            double[] candidate = gate(operation, CELL_GATE, b, cell, true);
            double[] input =
                    operation.has(INPUT_WEIGHTS) ? gate(operation, INPUT_GATE, b, cell, false) : coupled(forget);
            float clip = operation.floatValue(CELL_CLIP);
            double cellScale = operation.scale(CELL_STATE);
            int cellBits = (int) -Math.round(Math.log(cellScale) / Math.log(2));
            for (int u = 0; u < units; u++) {
                double next = round(forget[u] * cell[u], cellScale) + round(input[u] * candidate[u], cellScale);
                operation.outFloats(CELL_STATE_OUT).set(b * units + u, (float)
                        (clip > 0 ? Math.max(-clip, Math.min(clip, next)) : next));
                cell[u] = operation.outFloats(CELL_STATE_OUT).get(b * units + u);
            }
            double[] output = gate(operation, OUTPUT_GATE, b, cell, false);
            for (int u = 0; u < units; u++) {
                int state = operation.outInts(CELL_STATE_OUT).get(b * units + u);
                output[u] *= FixedPoint.decode(FixedPoint.tanh(state, cellBits), GATE_BITS);
            }
            emit(operation, b, output);
        }
    }

    private static double[] coupled(double[] forget) {
        double[] input = new double[forget.length];
        for (int u = 0; u < input.length; u++) {
            input[u] = LARGEST_GATE - forget[u];
        }
        return input;
    }

    private static double[] gate(ExecutionContext operation, int gate, int batch, double[] cell, boolean tanh) {
        double[] sums = sums(operation, gate, batch, cell);
        if (operation.has(NORMALISATION + gate)) {
            IntView weights = operation.ints(NORMALISATION + gate);
            IntView bias = operation.ints(BIAS + gate);
            FixedPoint.normalize(
                    sums,
                    operation.floatValue(INTERMEDIATE_SCALES + gate),
                    weights::get,
                    operation.scale(NORMALISATION + gate),
                    bias::get,
                    SUM_BITS);
        }
        for (int u = 0; u < sums.length; u++) {
            int sum = FixedPoint.encode(sums[u], SUM_BITS);
            sums[u] = FixedPoint.decode(
                    tanh ? FixedPoint.tanh(sum, SUM_BITS) : FixedPoint.sigmoid(sum, SUM_BITS), GATE_BITS);
        }
        return sums;
    }

    /** The nearest multiple of {@code step} that 16 bits can count, halves away from zero. */
    private static double round(double value, double step) {
        return FixedPoint.saturate16(RoundingArithmetic.halfAwayFromZero(value / step)) * step;
    }

    /**
     * Weighted sums of input, output state and cell state, each rounded to the gate's step; without bias where layer
     * normalisation adds it later.
     */
    private static double[] sums(ExecutionContext operation, int gate, int batch, double[] cell) {
        int inputs = operation.dim(INPUT, 1);
        int outputs = operation.dim(OUTPUT_STATE, 1);
        boolean normalised = operation.has(NORMALISATION + gate);
        double step = normalised ? operation.floatValue(INTERMEDIATE_SCALES + gate) : Math.scalb(1.0, -SUM_BITS);
        int peephole = gate == CELL_GATE ? -1 : gate == OUTPUT_GATE ? PEEPHOLE + 2 : PEEPHOLE + gate;
        double inputScale = (double) operation.scale(INPUT) * operation.scale(INPUT_WEIGHTS + gate);
        double recurrentScale = (double) operation.scale(OUTPUT_STATE) * operation.scale(RECURRENT_WEIGHTS + gate);
        double[] sums = new double[cell.length];
        for (int u = 0; u < sums.length; u++) {
            long fromInput = product(operation, INPUT_WEIGHTS + gate, u * inputs, INPUT, batch * inputs, inputs);
            if (!normalised) {
                fromInput += operation.ints(BIAS + gate).get(u);
            }
            long fromState =
                    product(operation, RECURRENT_WEIGHTS + gate, u * outputs, OUTPUT_STATE, batch * outputs, outputs);
            long scaled = FixedPoint.saturate16(FixedPoint.multiply(fromInput, inputScale / step));
            sums[u] = FixedPoint.saturate16(scaled + FixedPoint.multiply(fromState, recurrentScale / step)) * step;
            if (peephole >= 0 && operation.has(peephole)) {
                sums[u] += round(operation.floats(peephole).get(u) * cell[u], step);
            }
        }
        return sums;
    }

    /** Without projection the quantized hidden state is the output, whatever scale the output declares. */
    private static void emit(ExecutionContext operation, int batch, double[] hidden) {
        int outputs = operation.dim(OUTPUT_STATE, 1);
        int zeroPoint = operation.intValue(HIDDEN_ZERO_POINT);
        float scale = operation.floatValue(HIDDEN_SCALE);
        int[] quantized = new int[hidden.length];
        for (int u = 0; u < hidden.length; u++) {
            long rounded = RoundingArithmetic.halfAwayFromZero(hidden[u] / scale) + zeroPoint;
            quantized[u] = (int) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, rounded));
        }
        for (int o = 0; o < outputs; o++) {
            int value = operation.has(PROJECTION) ? project(operation, quantized, zeroPoint, scale, o) : quantized[o];
            operation.outInts(OUTPUT_STATE_OUT).set(batch * outputs + o, value);
            operation.outInts(OUT).set(batch * outputs + o, value);
        }
    }

    private static int project(ExecutionContext operation, int[] hidden, int zeroPoint, float scale, int row) {
        long sum =
                operation.has(PROJECTION_BIAS) ? operation.ints(PROJECTION_BIAS).get(row) : 0;
        for (int u = 0; u < hidden.length; u++) {
            sum += (long) operation.ints(PROJECTION).get(row * hidden.length + u) * (hidden[u] - zeroPoint);
        }
        double value = sum * (double) operation.scale(PROJECTION) * scale;
        float clip = operation.floatValue(PROJECTION_CLIP);
        value = clip > 0 ? Math.max(-clip, Math.min(clip, value)) : value;
        long rounded =
                RoundingArithmetic.halfAwayFromZero(value / operation.outScale(OUT)) + operation.outZeroPoint(OUT);
        return (int) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, rounded));
    }

    private static long product(
            ExecutionContext operation, int weights, int atWeights, int values, int atValues, int count) {
        IntView w = operation.ints(weights);
        IntView x = operation.ints(values);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += (long) w.get(atWeights + i) * (x.get(atValues + i) - operation.zeroPoint(values));
        }
        return sum;
    }
}
