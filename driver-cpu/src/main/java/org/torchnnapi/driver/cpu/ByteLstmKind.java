package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CastOp;

/** QUANTIZED_LSTM. */
final class ByteLstmKind implements Kind {
    private static final int INPUT = 0;
    private static final int INPUT_WEIGHTS = 1;
    private static final int RECURRENT_WEIGHTS = 5;
    private static final int PEEPHOLE = 9;
    private static final int BIAS = 12;
    private static final int PROJECTION = 16;
    private static final int PROJECTION_BIAS = 17;
    private static final int OUTPUT_STATE = 18;
    private static final int CELL_STATE = 19;
    private static final int NORMALIZATION = 20;
    private static final int CELL_CLIP = 24;
    private static final int PROJECTION_CLIP = 25;
    private static final int INTERMEDIATE_SCALES = 26;
    private static final int HIDDEN_ZERO_POINT = 30;
    private static final int HIDDEN_SCALE = 31;

    private static final int CELL_STATE_OUT = 1;
    private static final int OUT = 2;
    private static final int GATES = 4;
    private static final int CELL_GATE = 2;
    private static final int OUTPUT_GATE = 3;

    @Override
    public Problem typeRefusal(Site site) {
        return null;
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return input != INPUT && input != OUTPUT_STATE && input != CELL_STATE;
    }

    @Override
    public boolean isOptional(int input) {
        return input == INPUT_WEIGHTS || input == RECURRENT_WEIGHTS || input >= PEEPHOLE && input <= BIAS || input == PROJECTION
                || input == PROJECTION_BIAS || input >= NORMALIZATION && input < NORMALIZATION + GATES;
    }

    @Override
    public Problem refusal(Site site) {
        int zeroPoint = site.intValue(HIDDEN_ZERO_POINT);
        return zeroPoint >= Byte.MIN_VALUE && zeroPoint <= Byte.MAX_VALUE ? null
                : Problem.of("zero point of the hidden state", zeroPoint, "within [-128, 127]");
    }

    @Override
    public void translate(Site site, Translation translation) {
        int batch = site.in(INPUT).dimension(0);
        int units = site.in(CELL_STATE).dimension(1);
        int outputs = site.in(OUTPUT_STATE).dimension(1);
        List<ByteLstmGate> gates = new ArrayList<>();
        for (int gate = 0; gate < GATES; gate++) {
            gates.add(site.has(INPUT_WEIGHTS + gate) ? gate(site, gate) : null);
        }
        ByteLstm layer = new ByteLstm(site.in(INPUT).dimension(1), units, outputs, gates,
                new ByteLstm.Cells(site.in(CELL_STATE).scale(), site.floatValue(CELL_CLIP)),
                new ByteLstm.Hidden(site.floatValue(HIDDEN_SCALE), site.intValue(HIDDEN_ZERO_POINT)),
                site.has(PROJECTION) ? projection(site) : null);
        int both = translation.add(layer, translation.in(site, INPUT), translation.in(site, CELL_STATE), translation.in(site, OUTPUT_STATE));
        int bytes = Sequences.part(translation, both, batch * units, batch, outputs);
        translation.result(site, 0, translation.add(new CastOp(Site.type(site.out(0))), bytes));
        translation.result(site, CELL_STATE_OUT, Sequences.part(translation, both, 0, batch, units));
        translation.result(site, OUT, translation.add(new CastOp(Site.type(site.out(OUT))), bytes));
    }

    private static ByteLstmGate gate(Site site, int gate) {
        boolean normalized = site.has(NORMALIZATION + gate);
        int peephole = gate == OUTPUT_GATE ? PEEPHOLE + 2 : PEEPHOLE + gate;
        short[] normalization = null;
        if (normalized) {
            normalization = new short[site.in(NORMALIZATION + gate).dimension(0)];
            site.operand(NORMALIZATION + gate).value().asShortBuffer().get(normalization);
        }
        return new ByteLstmGate(site.bytes(INPUT_WEIGHTS + gate), site.bytes(RECURRENT_WEIGHTS + gate), site.ints(BIAS + gate),
                gate != CELL_GATE && site.has(peephole) ? site.floats(peephole) : null, normalization,
                normalized ? site.in(NORMALIZATION + gate).scale() : 0,
                (double) site.in(INPUT).scale() * site.in(INPUT_WEIGHTS + gate).scale(),
                (double) site.in(OUTPUT_STATE).scale() * site.in(RECURRENT_WEIGHTS + gate).scale(),
                normalized ? site.floatValue(INTERMEDIATE_SCALES + gate) : Math.scalb(1.0, -ByteLstmGate.SUM_BITS));
    }

    private static ByteLstm.Projection projection(Site site) {
        return new ByteLstm.Projection(site.bytes(PROJECTION), site.has(PROJECTION_BIAS) ? site.ints(PROJECTION_BIAS) : null,
                site.in(PROJECTION).scale(), site.floatValue(PROJECTION_CLIP), site.out(OUT).scale(), site.out(OUT).zeroPoint());
    }
}
