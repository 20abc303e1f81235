package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A fully connected layer with constant bytes of what {@link DynamicQuantizeOp} gives, the first input; the second is
 * the {@link DynamicRangeOp} that it had. Result: floats {@code [rows, outputs]}.
 */
public record DynamicLinearOp(DynamicProduct product) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType in = Require.bytes("input", inputs.get(0));
        DynamicRangeOp.require(inputs.get(1));
        Require.rank("input", in, 2);
        Require.sameShape("input", in, new int[] {in.dimension(0), DynamicProduct.rowBytes(product.inputs())});
        return ValueType.floats(in.dimension(0), product.outputs());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue ranges = operands.in(1);
        PlacedValue out = operands.out();
        int rows = in.type().dimension(0);
        return new Step(product.units(), memory -> {
                    byte[] from = in.bytes(memory);
                    float[] to = out.floats(memory);
                    return (begin, end) -> {
                        DynamicQuantization parameters = DynamicRangeOp.parameters(ranges, memory);
                        product.run(from, in.at(memory), rows, parameters, to, out.at(memory), begin, end);
                    };
                })
                .joined((long) product.outputs() * in.type().count());
    }

    @Override
    public long packedBytes() {
        return (long) product.inputs() * product.outputs();
    }

    @Override
    public String label() {
        return "dynamic linear " + product.inputs() + " to " + product.outputs();
    }
}
