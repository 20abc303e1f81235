package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The sum (or difference) of two values of bytes of one shape.
 *
 * @param sum the rule, with the quantizations of both inputs in their order
 * @param output what the result's bytes stand for
 */
public record QuantizedAddOp(QuantizedSum sum, ByteQuantization output) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType a = Require.bytes("a", inputs.get(0));
        Require.sameShape("b", Require.bytes("b", inputs.get(1)), a.shape());
        Require.element("output", output, a);
        return ValueType.bytes(output, a.shape());
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage wanted) {
        return wanted;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.alike(inputs, actual, false);
    }

    @Override
    public Op expanded(int rank, int axis) {
        return this;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Op limited(int min, int max) {
        return new QuantizedAddOp(sum.limited(min, max), output);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            byte[] left = a.bytes(memory);
            byte[] right = b.bytes(memory);
            byte[] to = out.bytes(memory);
            return (at, count) ->
                    sum.run(left, a.at(memory) + at, right, b.at(memory) + at, to, out.at(memory) + at, count);
        });
    }

    @Override
    public String label() {
        return "add";
    }
}
