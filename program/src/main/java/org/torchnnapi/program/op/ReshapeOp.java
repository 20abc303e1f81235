package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** The same elements under another shape; no work. */
public record ReshapeOp(int[] shape) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        ValueType result = in.withShape(shape);
        if (result.count() != in.count()) {
            throw new IllegalArgumentException(
                    "shape: " + Arrays.toString(shape) + " (expected: the " + in.count() + " elements of " + in + ")");
        }
        return result;
    }

    private boolean keepsShape(List<ValueType> inputs) {
        return Arrays.equals(inputs.get(0).shape(), shape);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return keepsShape(inputs) ? output : ImageStorage.DECLARED;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return keepsShape(inputs) ? LayoutAssignment.all(1, actual[0]) : LayoutAssignment.declared(1);
    }

    @Override
    public int view(Operands operands) {
        return 0;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        int[] one = {1};
        return new StridedBlock(new int[] {in.size()}, 0, one, 0, one).step(in, operands.out());
    }

    @Override
    public String label() {
        return "reshape";
    }
}
