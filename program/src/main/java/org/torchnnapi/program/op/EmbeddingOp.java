package org.torchnnapi.program.op;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Rows of a constant table, of the numbers that the input, of 32-bit numbers, gives: {@code [...]} to {@code [...,
 * width]}. The table stays where it lies. An execution with a row that is not there fails.
 *
 * @param table {@code [rows][width]}
 */
public record EmbeddingOp(int rows, int width, Weights table) implements Op {
    /** Elements that a share of the work copies at least. */
    private static final int SHARE = 1 << 14;

    public EmbeddingOp {
        EmbeddingBagOp.checkTable(rows, width, table);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        int[] picks =
                Require.element("rows", Require.only(inputs), Element.INT32).shape();
        int[] shape = new int[picks.length + 1];
        System.arraycopy(picks, 0, shape, 0, picks.length);
        shape[picks.length] = width;
        return ValueType.floats(shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        FloatBuffer values = table.view();
        int count = in.type().count();
        int each = Math.max(1, SHARE / width);
        return new Step((count + each - 1) / each, memory -> {
            int[] picks = in.ints(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                FloatBuffer from = values.duplicate();
                for (int i = begin * each; i < Math.min(count, end * each); i++) {
                    ((Buffer) from).position(EmbeddingBagOp.row(picks[in.at(memory) + i], rows) * width);
                    from.get(to, out.at(memory) + i * width, width);
                }
            };
        });
    }

    @Override
    public String label() {
        return "embedding of " + rows + " rows";
    }
}
