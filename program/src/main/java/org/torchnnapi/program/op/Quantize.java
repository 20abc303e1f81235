package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Quantization;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Floats to bytes, as {@link Quantizing#quantize} has it, PyTorch's rule with {@link Rounding#HALF_EVEN}.
 *
 * @param exact whether the quotient by the scale is rounded once, in double, as the NNAPI reference has it
 */
public record Quantize(Quantization output, Rounding rounding, boolean exact) implements Elementwise {
    public Quantize(Quantization output, Rounding rounding) {
        this(output, rounding, false);
    }

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
            return exact ? (at, count) -> divide(from, in.offset() + at, to, out.offset() + at, count) : (at, count) -> Quantizing.quantize(from, in.offset() + at, to, out.offset() + at, count, output.scale(), output.zeroPoint(),
                    output.element().isSigned(), rounding);
        });
    }

    private void divide(float[] from, int in, byte[] to, int out, int count) {
        double least = output.element().min() - output.zeroPoint();
        double most = output.element().max() - output.zeroPoint();
        for (int i = 0; i < count; i++) {
            double steps = rounding == Rounding.HALF_EVEN ? Math.rint(from[in + i] / (double) output.scale())
                    : rounding.round(from[in + i] / (double) output.scale());
            to[out + i] = (byte) ((int) Math.min(Math.max(steps, least), most) + output.zeroPoint());
        }
    }

    @Override
    public String label() {
        return "quantize";
    }
}
