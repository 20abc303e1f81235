package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.program.op.CastOp;

/** QUANTIZED_16BIT_LSTM. */
final class SixteenBitLstmOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.QUANTIZED_16BIT_LSTM);
    private static final OperandNames OUTPUTS =
            OperationTable.get(OperationType.QUANTIZED_16BIT_LSTM).signatures().outputs();
    private static final int INPUT = INPUTS.at("input");
    private static final int INPUT_WEIGHTS = INPUTS.at("inputWeights");
    private static final int RECURRENT_WEIGHTS = INPUTS.at("recurrentWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");
    private static final int OUT = OUTPUTS.at("output");
    private static final int GATES = 4;
    /** Unsigned bytes less 128, as signed ones. */
    private static final int SIGN = 0x80;

    @Override
    public Problem typeRefusal(OperationView site) {
        return null;
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input > INPUT && input < CELL_STATE;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int batch = site.in(INPUT).dimension(0);
        int inputs = site.in(INPUT).dimension(1);
        int units = site.in(OUTPUT_STATE).dimension(1);
        int[] bias = new int[GATES * units];
        byte[] weights = new byte[GATES * units * (units + inputs)];
        for (int gate = 0; gate < GATES; gate++) {
            System.arraycopy(site.ints(BIAS + gate), 0, bias, gate * units, units);
            byte[] recurrent = site.bytes(RECURRENT_WEIGHTS + gate);
            byte[] ofInput = site.bytes(INPUT_WEIGHTS + gate);
            for (int u = 0; u < units; u++) {
                // Rows have the recurrent weights first, though columns have the input first: that is how the operation
                // is defined.
                int row = (gate * units + u) * (units + inputs);
                System.arraycopy(recurrent, u * units, weights, row, units);
                System.arraycopy(ofInput, u * inputs, weights, row + units, inputs);
            }
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] ^= (byte) SIGN;
        }
        double scale = (double) site.in(INPUT).scale() * site.in(INPUT_WEIGHTS).scale();
        int both = translation.add(
                new SixteenBitLstm(
                        inputs, units, weights, site.in(INPUT_WEIGHTS).zeroPoint(), bias, scale),
                translation.in(site, INPUT),
                translation.in(site, CELL_STATE),
                translation.in(site, OUTPUT_STATE));
        translation.result(site, 0, Sequences.part(translation, both, 0, batch, units));
        translation.result(
                site,
                OUT,
                translation.add(
                        new CastOp(OperationView.type(site.out(OUT))),
                        Sequences.part(translation, both, batch * units, batch, units)));
    }
}
