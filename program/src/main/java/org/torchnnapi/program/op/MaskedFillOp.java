package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.ArrayType;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Floats, input 0, with a number instead of some, as a mask of bytes, input 1, says; the mask is broadcast to the
 * floats' shape as NumPy does.
 *
 * @param where whether the number takes the place where the mask is not 0, or else where it is
 */
public record MaskedFillOp(float value, boolean where) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType floats = Require.floats("input", inputs.get(0));
        ValueType mask = inputs.get(1);
        if (mask.element().store() != ArrayType.BYTES
                || !floats.equals(ValueType.floats(Broadcasting.shape(floats, floats.withShape(mask.shape()))))) {
            throw new IllegalArgumentException(
                    "mask: " + mask + " (expected: bytes of a shape that broadcasts to that of " + floats + ")");
        }
        return floats;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input == 0;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue mask = operands.in(1);
        PlacedValue out = operands.out();
        int[] dims = in.type().rank() == 0 ? new int[] {1} : in.type().shape();
        int[] steps = Broadcasting.steps(mask.type().shape(), dims);
        int last = dims.length - 1;
        int row = dims[last];
        return new Step(in.type().count() / row, memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            byte[] marks = mask.bytes(memory);
            return (begin, end) -> {
                for (int r = begin; r < end; r++) {
                    int at = mask.at(memory) + StridedBlock.at(r, dims, steps);
                    ElementwiseOps.maskedFill(
                            from,
                            in.at(memory) + r * row,
                            marks,
                            at,
                            steps[last] == 0,
                            where,
                            value,
                            to,
                            out.at(memory) + r * row,
                            row);
                }
            };
        });
    }

    @Override
    public String label() {
        return "masked fill";
    }
}
