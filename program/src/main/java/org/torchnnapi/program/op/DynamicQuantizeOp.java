package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Floats {@code [..., width]} as bytes of the parameters that follow from their {@link DynamicRangeOp}, the second
 * input: {@code [rows, bytes a row]} as {@link DynamicProduct} reads them. Their type tells nothing of the parameters.
 */
public record DynamicQuantizeOp() implements Op {
    /** Elements that a share of the work has at least. */
    private static final int SHARE = 1 << 14;

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType in = Require.floats("input", inputs.get(0));
        DynamicRangeOp.require(inputs.get(1));
        int width = in.dimension(Require.axis(-1, in.rank()));
        return new ValueType(Element.UINT8, new int[] {in.count() / width, DynamicProduct.rowBytes(width)}, 1, 0);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue ranges = operands.in(1);
        PlacedValue out = operands.out();
        int rows = out.type().dimension(0);
        int row = out.type().dimension(1);
        int width = in.type().count() / rows;
        int each = Math.max(1, SHARE / width);
        return new Step((rows + each - 1) / each, memory -> {
            float[] from = in.floats(memory);
            byte[] to = out.bytes(memory);
            return (begin, end) -> {
                DynamicQuantization parameters = DynamicRangeOp.parameters(ranges, memory);
                int first = begin * each;
                parameters.quantize(
                        from,
                        in.at(memory) + first * width,
                        to,
                        out.at(memory) + first * row,
                        Math.min(end * each, rows) - first,
                        width);
            };
        });
    }

    @Override
    public String label() {
        return "quantize by the range";
    }
}
