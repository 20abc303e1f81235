package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Average or maximum pooling of floats, limited afterwards.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 */
public record PoolOp(Pooling.Kind kind, Pooling.Window window, ImageLayout order, Clamp clamp) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        int batch = Require.batch(
                Require.floats("input", Require.only(inputs)), order, window.channels(), window.inH(), window.inW());
        return ValueType.floats(Require.images(order, batch, window.channels(), window.outH(), window.outW()));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        // What is left is cheaper converted than what came.
        return window.outH() * window.outW() < window.inH() * window.inW() ? null : output;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(1, Require.suited(actual[0], order));
    }

    @Override
    public Op limited(Clamp limit) {
        return new PoolOp(kind, window, order, clamp.then(limit));
    }

    @Override
    public Step compile(Operands operands) {
        Pooling pooling = Pooling.plan(kind, window, operands.in(0).storage().layout(order), clamp);
        return OneInput.floatImages(operands, pooling.units(), pooling::run);
    }

    @Override
    public String label() {
        return label(kind, window);
    }

    static String label(Pooling.Kind kind, Pooling.Window window) {
        String name = (kind == Pooling.Kind.MAX ? "max" : "average") + " pool ";
        return window.adaptive()
                ? "adaptive " + name + "to " + window.outH() + "x" + window.outW()
                : name + window.kernelH() + "x" + window.kernelW() + "/" + window.strideH();
    }
}
