package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.program.op.CastOp;

/** QUANTIZED_LSTM. */
final class ByteLstmOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.QUANTIZED_LSTM);
    private static final OperandNames OUTPUTS =
            OperationTable.get(OperationType.QUANTIZED_LSTM).signatures().outputs();
    private static final int INPUT = INPUTS.at("input");
    private static final int INPUT_WEIGHTS = INPUTS.at("inputWeights");
    private static final int RECURRENT_WEIGHTS = INPUTS.at("recurrentWeights");
    private static final int PEEPHOLE = INPUTS.at("peepholeWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int PROJECTION = INPUTS.at("projectionWeights");
    private static final int PROJECTION_BIAS = INPUTS.at("projectionBias");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int NORMALIZATION = INPUTS.at("normalizationWeights");
    private static final int CELL_CLIP = INPUTS.at("cellClip");
    private static final int PROJECTION_CLIP = INPUTS.at("projectionClip");
    private static final int INTERMEDIATE_SCALES = INPUTS.at("intermediateScales");
    private static final int HIDDEN_ZERO_POINT = INPUTS.at("hiddenZeroPoint");
    private static final int HIDDEN_SCALE = INPUTS.at("hiddenScale");

    private static final int CELL_STATE_OUT = OUTPUTS.at("cellState");
    private static final int OUT = OUTPUTS.at("output");
    private static final int GATES = 4;
    private static final int CELL_GATE = 2;
    private static final int OUTPUT_GATE = 3;

    @Override
    public Problem typeRefusal(OperationView site) {
        return null;
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input != INPUT && input != OUTPUT_STATE && input != CELL_STATE;
    }

    @Override
    public Problem refusal(OperationView site) {
        int zeroPoint = site.intValue(HIDDEN_ZERO_POINT);
        return zeroPoint >= Byte.MIN_VALUE && zeroPoint <= Byte.MAX_VALUE
                ? null
                : Problem.of("zero point of the hidden state", zeroPoint, "within [-128, 127]");
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int batch = site.in(INPUT).dimension(0);
        int units = site.in(CELL_STATE).dimension(1);
        int outputs = site.in(OUTPUT_STATE).dimension(1);
        List<ByteLstmGate> gates = new ArrayList<>();
        for (int gate = 0; gate < GATES; gate++) {
            gates.add(site.has(INPUT_WEIGHTS + gate) ? gate(site, gate) : null);
        }
        ByteLstm layer = new ByteLstm(
                site.in(INPUT).dimension(1),
                units,
                outputs,
                gates,
                new ByteLstm.Cells(site.in(CELL_STATE).scale(), site.floatValue(CELL_CLIP)),
                new ByteLstm.Hidden(site.floatValue(HIDDEN_SCALE), site.intValue(HIDDEN_ZERO_POINT)),
                site.has(PROJECTION) ? projection(site) : null);
        int both = translation.add(
                layer,
                translation.in(site, INPUT),
                translation.in(site, CELL_STATE),
                translation.in(site, OUTPUT_STATE));
        int bytes = Sequences.part(translation, both, batch * units, batch, outputs);
        translation.result(site, 0, translation.add(new CastOp(OperationView.type(site.out(0))), bytes));
        translation.result(site, CELL_STATE_OUT, Sequences.part(translation, both, 0, batch, units));
        translation.result(site, OUT, translation.add(new CastOp(OperationView.type(site.out(OUT))), bytes));
    }

    private static ByteLstmGate gate(OperationView site, int gate) {
        boolean normalized = site.has(NORMALIZATION + gate);
        int peephole = gate == OUTPUT_GATE ? PEEPHOLE + 2 : PEEPHOLE + gate;
        short[] normalization = null;
        if (normalized) {
            normalization = new short[site.in(NORMALIZATION + gate).dimension(0)];
            site.operand(NORMALIZATION + gate).value().asShortBuffer().get(normalization);
        }
        return new ByteLstmGate(
                site.bytes(INPUT_WEIGHTS + gate),
                site.bytes(RECURRENT_WEIGHTS + gate),
                site.ints(BIAS + gate),
                gate != CELL_GATE && site.has(peephole) ? site.floats(peephole) : null,
                normalization,
                normalized ? site.in(NORMALIZATION + gate).scale() : 0,
                (double) site.in(INPUT).scale() * site.in(INPUT_WEIGHTS + gate).scale(),
                (double) site.in(OUTPUT_STATE).scale()
                        * site.in(RECURRENT_WEIGHTS + gate).scale(),
                normalized ? site.floatValue(INTERMEDIATE_SCALES + gate) : Math.scalb(1.0, -ByteLstmGate.SUM_BITS));
    }

    private static ByteLstm.Projection projection(OperationView site) {
        return new ByteLstm.Projection(
                site.bytes(PROJECTION),
                site.has(PROJECTION_BIAS) ? site.ints(PROJECTION_BIAS) : null,
                site.in(PROJECTION).scale(),
                site.floatValue(PROJECTION_CLIP),
                site.out(OUT).scale(),
                site.out(OUT).zeroPoint());
    }
}
