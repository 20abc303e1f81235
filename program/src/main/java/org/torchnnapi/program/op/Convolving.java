package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.ValueType;

/**
 * A convolution of floats, into which what is done to each channel afterwards, and a value that is added, can be
 * folded.
 */
public interface Convolving extends Op {
    ConvShape shape();

    ImageLayout order();

    /** In as many equal parts as there are output channels, one after the other; not of a transposed convolution. */
    Weights weights();

    /** One an output channel, or null for none. */
    float[] bias();

    Activation activation();

    /** The same with other numbers. */
    Convolving with(Weights newWeights, float[] newBias, Activation newActivation);

    @Override
    default ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return input == 0 ? null : output;
    }

    @Override
    default boolean overwrites(Operands operands, int input) {
        return input == 1;
    }

    @Override
    default Op limited(Clamp limit) {
        return with(weights(), bias(), activation().then(limit));
    }

    @Override
    default Op applying(UnaryOp function) {
        return activation().isNone() ? with(weights(), bias(), Activation.of(function)) : null;
    }

    @Override
    default long packedBytes() {
        return (long) weights().length() * Float.BYTES;
    }

    @Override
    default long weightWork(Operands operands) {
        return packedBytes(operands) * WeightProducts.pixels(shape(), operands);
    }
}
