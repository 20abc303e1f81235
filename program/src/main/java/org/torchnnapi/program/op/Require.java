package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.ValueType;

/** The checks of operations: the value, then the rule. */
final class Require {
    private Require() {}

    static ValueType only(List<ValueType> inputs) {
        count(inputs, 1, 1);
        return inputs.get(0);
    }

    static void count(List<ValueType> inputs, int least, int most) {
        if (inputs.size() < least || inputs.size() > most) {
            throw new IllegalArgumentException("inputs: " + inputs.size() + " (expected: "
                    + (least == most ? "" + least : most == Integer.MAX_VALUE ? ">= " + least : least + " to " + most)
                    + ")");
        }
    }

    static ValueType floats(String name, ValueType type) {
        if (!type.isFloat()) {
            throw new IllegalArgumentException(name + ": " + type + " (expected: FLOAT32)");
        }
        return type;
    }

    static ValueType bytes(String name, ValueType type) {
        if (!type.isQuantized()) {
            throw new IllegalArgumentException(
                    name + ": " + type + " (expected: " + Element.UINT8 + " or " + Element.INT8 + ")");
        }
        return type;
    }

    static ValueType element(String name, ValueType type, Element element) {
        if (type.element() != element) {
            throw new IllegalArgumentException(name + ": " + type + " (expected: " + element + ")");
        }
        return type;
    }

    /** Floats or bytes, not 32-bit numbers. */
    static ValueType notInts(String name, ValueType type) {
        if (type.element() == Element.INT32) {
            throw new IllegalArgumentException(name + ": " + type + " (expected: floats or bytes)");
        }
        return type;
    }

    static void element(String name, ByteQuantization quantization, ValueType expected) {
        if (quantization.element() != expected.element()) {
            throw new IllegalArgumentException(
                    name + ": " + quantization + " (expected: " + expected.element() + ", as the input)");
        }
    }

    static void sameElements(String name, ValueType type, ValueType expected) {
        if (!type.sameElements(expected)) {
            throw new IllegalArgumentException(
                    name + ": " + type + " (expected: elements as those of " + expected + ")");
        }
    }

    static void sameShape(String name, ValueType type, int[] expected) {
        if (!Arrays.equals(type.shape(), expected)) {
            throw new IllegalArgumentException(name + ": " + type + " (expected: " + Arrays.toString(expected) + ")");
        }
    }

    static void rank(String name, ValueType type, int rank) {
        if (type.rank() != rank) {
            throw new IllegalArgumentException(name + ": " + type + " (expected: rank " + rank + ")");
        }
    }

    /** An axis counted from the front, as it is or from the back when negative. */
    static int axis(int axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw new IllegalArgumentException("axis: " + axis + " (expected: within [" + -rank + ", " + rank + "))");
        }
        return axis < 0 ? axis + rank : axis;
    }

    static void order(ImageLayout order) {
        if (order == ImageLayout.BLOCKED) {
            throw new IllegalArgumentException(
                    "order: " + order + " (expected: NCHW or NHWC, what shapes are declared in)");
        }
    }

    /** A batch of images of that extent, declared in that order. */
    static int[] images(ImageLayout order, int batch, int channels, int height, int width) {
        return order == ImageLayout.NCHW
                ? new int[] {batch, channels, height, width}
                : new int[] {batch, height, width, channels};
    }

    /** That a value is a batch of images of that extent; returns the batch. */
    static int batch(ValueType type, ImageLayout order, int channels, int height, int width) {
        order(order);
        rank("input", type, 4);
        sameShape("input", type, images(order, type.dimension(0), channels, height, width));
        return type.dimension(0);
    }

    /** How images declared in that order lie when they come so. */
    static ImageStorage suited(ImageStorage actual, ImageLayout order) {
        return actual.suits(order) ? actual : ImageStorage.DECLARED;
    }
}
