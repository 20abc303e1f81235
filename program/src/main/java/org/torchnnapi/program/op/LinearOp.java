package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A fully connected layer over the last axis: {@code [..., in]} to {@code [..., out]}. It runs as a 1x1 convolution
 * over an image that is as high as there are rows.
 *
 * @param weights {@code [out][in]}
 * @param bias one an output, or null for none
 */
public record LinearOp(int in, int out, Weights weights, float[] bias, Activation activation, Precision precision)
        implements Op {
    /** In floats of 32 bits. */
    public LinearOp(int in, int out, Weights weights, float[] bias, Activation activation) {
        this(in, out, weights, bias, activation, Precision.FLOAT32);
    }

    public LinearOp(int in, int out, Weights weights, float[] bias, Clamp clamp) {
        this(in, out, weights, bias, Activation.of(clamp));
    }

    /** @param weights are kept */
    public LinearOp(int in, int out, float[] weights, float[] bias, Clamp clamp) {
        this(in, out, Weights.of(weights), bias, clamp);
    }

    public LinearOp {
        WeightProducts.check(
                ConvShape.of(in, 1, 1, out, 1, 1),
                ImageLayout.NHWC,
                weights.length(),
                bias == null ? out : bias.length);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.floats(WeightProducts.rows(Require.floats("input", Require.only(inputs)), in, out));
    }

    @Override
    public Op limited(Clamp limit) {
        return new LinearOp(in, out, weights, bias, activation.then(limit), precision);
    }

    @Override
    public Op applying(UnaryOp function) {
        // Of rows that are longer than a tile is wide, what is not done in registers is quicker done in long runs.
        return activation.isNone() && Activation.isDoneInRegisters(function)
                ? new LinearOp(in, out, weights, bias, Activation.of(function), precision)
                : null;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue from = operands.in(0);
        PlacedValue to = operands.out();
        ConvShape shape = ConvShape.of(in, from.type().count() / in, 1, out, 1, 1);
        FloatConv conv =
                FloatConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, weights, bias, activation, precision);
        return new Step(conv.units(), memory -> {
                    float[] rows = from.floats(memory);
                    float[] results = to.floats(memory);
                    return (begin, end) -> conv.run(rows, from.at(memory), results, to.at(memory), begin, end);
                })
                .joined((long) out * from.type().count());
    }

    @Override
    public long packedBytes() {
        return (long) weights.length() * Float.BYTES;
    }

    @Override
    public String label() {
        return "linear " + in + " to " + out + WeightProducts.label(activation);
    }
}
