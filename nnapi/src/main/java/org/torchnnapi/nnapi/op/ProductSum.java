package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.ChannelQuantization;

/**
 * One output element of a convolution or fully connected layer: bias plus a sum of input times filter, then the
 * activation. Floats sum in double; quantized elements sum exactly in integers and are scaled once, in float32 like
 * QNNPACK's.
 */
abstract class ProductSum {
    /** Begins an output element of channel {@code channel}. */
    abstract void start(int channel);

    /** Adds input element {@code input} times filter element {@code filter}. */
    abstract void add(int input, int filter);

    /** Writes the sum to output element {@code output}. */
    abstract void finish(int output);

    /** The summation for the types of these operands. */
    static ProductSum of(
            ExecutionContext operation, int input, int filter, int bias, int output, FusedActivation activation) {
        return operation.type(input).isQuantized()
                ? new Quantized(operation, input, filter, bias, output, activation)
                : new Real(operation, input, filter, bias, output, activation);
    }

    private static final class Real extends ProductSum {
        private final FloatView input;
        private final FloatView filter;
        private final FloatView bias;
        private final FloatView output;
        private final FusedActivation activation;
        private double sum;

        Real(ExecutionContext operation, int input, int filter, int bias, int output, FusedActivation activation) {
            this.input = operation.floats(input);
            this.filter = operation.floats(filter);
            this.bias = operation.floats(bias);
            this.output = operation.outFloats(output);
            this.activation = activation;
        }

        @Override
        void start(int channel) {
            sum = bias.get(channel);
        }

        @Override
        void add(int i, int f) {
            sum += (double) input.get(i) * filter.get(f);
        }

        @Override
        void finish(int out) {
            output.set(out, activation.apply((float) sum));
        }
    }

    private static final class Quantized extends ProductSum {
        private final IntView input;
        private final IntView filter;
        private final IntView bias;
        private final IntView output;
        private final int inputZero;
        private final int filterZero;
        private final int outputZero;
        private final float inputScale;
        /** Step of the sums: the bias's, which is the product of input and filter scale before it was rounded twice. */
        private final float sumScale;

        private final float outputScale;
        private final ChannelQuantization channels;
        private final long low;
        private final long high;
        private float multiplier;
        private long sum;

        Quantized(ExecutionContext operation, int input, int filter, int bias, int output, FusedActivation activation) {
            this.input = operation.ints(input);
            this.filter = operation.ints(filter);
            this.bias = operation.ints(bias);
            this.output = operation.outInts(output);
            inputZero = operation.zeroPoint(input);
            filterZero = operation.zeroPoint(filter);
            outputZero = operation.outZeroPoint(output);
            inputScale = operation.scale(input);
            sumScale = operation.scale(bias);
            outputScale = operation.outScale(output);
            channels = operation.channels(filter);
            low = activation.quantizedLow(outputScale, outputZero);
            high = activation.quantizedHigh(outputScale, outputZero);
        }

        @Override
        void start(int channel) {
            multiplier = (channels == null ? sumScale : inputScale * channels.scale(channel)) / outputScale;
            sum = bias.get(channel);
        }

        @Override
        void add(int i, int f) {
            sum += (long) (input.get(i) - inputZero) * (filter.get(f) - filterZero);
        }

        @Override
        void finish(int out) {
            long value = RoundingArithmetic.halfEven((float) sum * multiplier) + outputZero;
            output.setSaturated(out, Math.max(low, Math.min(high, value)));
        }
    }
}
