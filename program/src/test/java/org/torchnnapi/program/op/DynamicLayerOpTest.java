package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.program.ValueType;

class DynamicLayerOpTest {
    private static final int STEPS = 3;
    private static final int BATCH = 2;
    private static final int INPUTS = 5;
    private static final int UNITS = 7;

    private final Random random = new Random(13);

    private DynamicProduct product(int inputs, int outputs) {
        byte[] weights = new byte[inputs * outputs];
        random.nextBytes(weights);
        return DynamicProduct.plan(
                inputs,
                outputs,
                new QuantizedWeights(weights, true, new int[] {0}),
                new float[] {0.003f},
                new float[outputs],
                false);
    }

    @ParameterizedTest
    @EnumSource
    void leavesItsStatesAsTheyWere(Cell cell) {
        DynamicProduct input = product(INPUTS, cell.gates() * UNITS);
        DynamicProduct hidden = product(UNITS, cell.gates() * UNITS);
        List<ValueType> types =
                new ArrayList<>(List.of(ValueType.floats(STEPS, BATCH, INPUTS), ValueType.floats(BATCH, UNITS)));
        float[] in = (float[]) Ops.random(random, types.get(0));
        float[] state = (float[]) Ops.random(random, types.get(1));
        float[] cells = (float[]) Ops.random(random, types.get(1));
        List<Object> inputs = new ArrayList<>(List.of(in, state));
        if (cell == Cell.LSTM) {
            types.add(types.get(1));
            inputs.add(cells);
        }
        float[] out = (float[]) Ops.run(new DynamicLayerOp(cell, input, hidden, true), types, inputs.toArray());
        int outputs = STEPS * BATCH * UNITS;
        float[] expected = new float[out.length];
        float[] lastCells = cells.clone();
        DynamicRecurrent layer = DynamicRecurrent.of(cell, input, hidden);
        layer.run(in, 0, expected, 0, STEPS, BATCH, true, state.clone(), 0, lastCells, 0, layer.scratch(STEPS, BATCH));
        if (cell == Cell.LSTM) {
            System.arraycopy(lastCells, 0, expected, outputs, lastCells.length);
        }
        for (int i = 0; i < out.length; i++) {
            assertEquals(expected[i], out[i], cell + " element " + i);
        }
    }
}
