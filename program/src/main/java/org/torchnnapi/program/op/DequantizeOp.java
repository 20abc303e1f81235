package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Bytes to the floats they stand for. */
public record DequantizeOp() implements ElementwiseOp {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.floats(Require.bytes("input", Require.only(inputs)).shape());
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return false;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        ValueType type = in.type();
        return Step.elementwise(out.size(), memory -> {
            byte[] from = in.bytes(memory);
            float[] to = out.floats(memory);
            return (at, count) -> Quantizing.dequantize(
                    from,
                    in.at(memory) + at,
                    to,
                    out.at(memory) + at,
                    count,
                    type.scale(),
                    type.zeroPoint(),
                    type.element().isSigned());
        });
    }

    @Override
    public String label() {
        return "dequantize";
    }
}
