package org.torchnnapi.program.op;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Rows of a constant table brought together by bags, {@code [bags, width]}. Inputs, of 32-bit numbers: the rows
 * {@code [count]}, and where each bag begins among them {@code [bags]}, with the end of the last one behind it where
 * {@code includesLast}; then, of floats, factors of the rows {@code [count]}, if any. An empty bag is 0. An execution
 * with a row that is not there, or with bags beyond the rows, fails.
 *
 * @param table {@code [rows][width]}
 * @param skipped a row that is left out; -1 for none
 */
public record EmbeddingBagOp(int rows, int width, Weights table, Mode mode, boolean includesLast, int skipped)
        implements Op {
    /** What becomes of the rows of a bag. */
    public enum Mode {
        SUM,
        MEAN,
        MAX
    }

    public EmbeddingBagOp {
        checkTable(rows, width, table);
    }

    static void checkTable(int rows, int width, Weights table) {
        if (rows < 1 || width < 1 || table.length() != (long) rows * width) {
            throw new IllegalArgumentException(
                    "table: " + table.length() + " (expected: " + rows + " rows of " + width + ")");
        }
    }

    static int row(int row, int rows) {
        if (row < 0 || row >= rows) {
            throw new IllegalArgumentException("row: " + row + " (expected: 0 to " + (rows - 1) + ")");
        }
        return row;
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 3);
        Require.rank("rows", Require.element("rows", inputs.get(0), Element.INT32), 1);
        Require.rank("bags", Require.element("bags", inputs.get(1), Element.INT32), 1);
        if (inputs.size() == 3) {
            Require.sameShape(
                    "factors",
                    Require.floats("factors", inputs.get(2)),
                    inputs.get(0).shape());
        }
        return ValueType.floats(inputs.get(1).dimension(0) - (includesLast ? 1 : 0), width);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue bags = operands.in(1);
        PlacedValue scaled = operands.count() == 3 ? operands.in(2) : null;
        PlacedValue out = operands.out();
        FloatBuffer values = table.view();
        int count = in.type().count();
        int starts = bags.type().count();
        return new Step(out.type().dimension(0), memory -> {
            int[] picks = in.ints(memory);
            int[] begins = bags.ints(memory);
            float[] factors = scaled == null ? null : scaled.floats(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                FloatBuffer from = values.duplicate();
                float[] row = new float[width];
                for (int bag = begin; bag < end; bag++) {
                    int first = begins[bags.at(memory) + bag];
                    int behind = bag + 1 < starts ? begins[bags.at(memory) + bag + 1] : count;
                    if (first < 0 || behind > count) {
                        throw new IllegalArgumentException("bag " + bag + ": " + first + " to " + behind
                                + " (expected: within the " + count + " rows)");
                    }
                    int at = out.at(memory) + bag * width;
                    Arrays.fill(to, at, at + width, 0);
                    int used = 0;
                    for (int i = first; i < behind; i++) {
                        int pick = row(picks[in.at(memory) + i], rows);
                        if (pick != skipped) {
                            ((Buffer) from).position(pick * width);
                            from.get(row, 0, width);
                            bring(row, factors == null ? 1 : factors[scaled.at(memory) + i], to, at, used == 0);
                            used++;
                        }
                    }
                    if (mode == Mode.MEAN && used > 0) {
                        for (int i = 0; i < width; i++) {
                            to[at + i] /= used;
                        }
                    }
                }
            };
        });
    }

    private void bring(float[] row, float factor, float[] to, int at, boolean first) {
        if (mode == Mode.MAX) {
            for (int i = 0; i < row.length; i++) {
                to[at + i] = first ? row[i] : Math.max(to[at + i], row[i]);
            }
            return;
        }
        for (int i = 0; i < row.length; i++) {
            to[at + i] += row[i] * factor;
        }
    }

    @Override
    public String label() {
        return "embedding bag of " + rows + " rows";
    }
}
