package org.torchnnapi.program.op;

import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;

/**
 * Steps of operations with one input, whose elements are of the same store as the result's: what ties their work to a
 * run's memory.
 */
final class OneInput {
    /**
     * Work on units [begin, end), or where units are elements on those, from the input's and the result's first
     * elements on.
     */
    @FunctionalInterface
    interface Floats {
        void run(float[] in, int from, float[] out, int to, int begin, int end);
    }

    /** As {@link Floats}. */
    @FunctionalInterface
    interface Bytes {
        void run(byte[] in, int from, byte[] out, int to, int begin, int end);
    }

    /** Work on {@code count} elements, from {@code from} and {@code to} on. */
    @FunctionalInterface
    interface FloatElements {
        void run(float[] in, int from, float[] out, int to, int count);
    }

    private OneInput() {}

    static Step floats(Operands operands, int units, Floats work) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        return new Step(units, memory -> {
            float[] source = in.floats(memory);
            float[] target = out.floats(memory);
            return (begin, end) -> work.run(source, in.at(memory), target, out.at(memory), begin, end);
        });
    }

    static Step bytes(Operands operands, int units, Bytes work) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        return new Step(units, memory -> {
            byte[] source = in.bytes(memory);
            byte[] target = out.bytes(memory);
            return (begin, end) -> work.run(source, in.at(memory), target, out.at(memory), begin, end);
        });
    }

    /** Each element for itself. */
    static Step floatElements(Operands operands, FloatElements work) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            float[] source = in.floats(memory);
            float[] target = out.floats(memory);
            return (at, count) -> work.run(source, in.at(memory) + at, target, out.at(memory) + at, count);
        });
    }

    /** Units of each image of a batch; the work is given where the image is in the input and in the result. */
    static Step floatImages(Operands operands, int units, Floats work) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        return Step.images(in.type().dimension(0), units, memory -> {
            float[] source = in.floats(memory);
            float[] target = out.floats(memory);
            return (image, begin, end) -> work.run(
                    source, in.at(memory) + image * inSize, target, out.at(memory) + image * outSize, begin, end);
        });
    }

    /** As {@link #floatImages}. */
    static Step byteImages(Operands operands, int units, Bytes work) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        return Step.images(in.type().dimension(0), units, memory -> {
            byte[] source = in.bytes(memory);
            byte[] target = out.bytes(memory);
            return (image, begin, end) -> work.run(
                    source, in.at(memory) + image * inSize, target, out.at(memory) + image * outSize, begin, end);
        });
    }
}
