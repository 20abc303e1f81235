package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A fully connected layer of bytes over the last axis: {@code [..., in]} to {@code [..., out]}.
 *
 * @param weights {@code [out][in]}; kept
 * @param bias one an output, in units of input scale times weight scale; null for none
 * @param requantization from sums to bytes of {@code output}, with the activation in its limits
 * @param output what the result's bytes stand for; of the input's element
 */
public record QuantizedLinearOp(
        int in, int out, QuantizedWeights weights, int[] bias, Requantization requantization, ByteQuantization output)
        implements Op {
    public QuantizedLinearOp {
        WeightProducts.check(
                ConvShape.of(in, 1, 1, out, 1, 1),
                ImageLayout.NHWC,
                weights.values().length,
                bias == null ? out : bias.length);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType type = Require.bytes("input", Require.only(inputs));
        Require.element("output", output, type);
        return ValueType.bytes(output, WeightProducts.rows(type, in, out));
    }

    @Override
    public Op limited(int min, int max) {
        return new QuantizedLinearOp(in, out, weights, bias, TableOp.limited(requantization, output, min, max), output);
    }

    @Override
    public Op applying(TableOp function) {
        return function.output().element() == output.element()
                ? new QuantizedLinearOp(
                        in, out, weights, bias, requantization.mapped(function.table()), function.output())
                : null;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue from = operands.in(0);
        PlacedValue to = operands.out();
        ConvShape shape = ConvShape.of(in, from.type().count() / in, 1, out, 1, 1);
        QuantizedConv conv = QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                output.element().isSigned(),
                from.type().zeroPoint(),
                weights,
                bias,
                requantization);
        return new Step(conv.units(), conv.adjoining(), memory -> {
            byte[] rows = from.bytes(memory);
            byte[] results = to.bytes(memory);
            return (begin, end) -> conv.run(rows, from.at(memory), results, to.at(memory), begin, end);
        });
    }

    @Override
    public long packedBytes() {
        return weights.values().length;
    }

    @Override
    public String label() {
        return "linear " + in + " to " + out + QuantizedConvolutionOp.label(requantization);
    }
}
