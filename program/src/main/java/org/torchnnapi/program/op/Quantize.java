package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Quantization;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Floats to bytes by one of the rules of {@link Quantizing}. */
public record Quantize(Quantization output, Quantizing.Rule rule) implements Elementwise {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.bytes(output, Require.floats("input", Require.only(inputs)).shape());
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return false;
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            byte[] to = out.bytes(memory);
            return (at, count) -> Quantizing.quantize(from, in.at(memory) + at, to, out.at(memory) + at, count, output.scale(), output.zeroPoint(),
                    output.element().isSigned(), rule);
        });
    }

    @Override
    public String label() {
        return "quantize";
    }
}
