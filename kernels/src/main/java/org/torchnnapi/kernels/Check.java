package org.torchnnapi.kernels;

/** The checks at the door: the value, then the rule. */
final class Check {
    private Check() {}

    static int atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= " + least + ")");
        }
        return value;
    }

    static void length(String name, int actual, long expected) {
        if (actual != expected) {
            throw new IllegalArgumentException(name + " length: " + actual + " (expected: " + expected + ")");
        }
    }

    /** That {@code count} elements from {@code offset} lie inside an array of {@code length}. */
    static void room(String name, int length, int offset, long count) {
        if (offset < 0 || count < 0 || offset + count > length) {
            throw new IllegalArgumentException(name + ": " + count + " elements from " + offset
                    + " (expected: within the " + length + " there are)");
        }
    }

    static void range(int begin, int end, int units) {
        if (begin < 0 || begin > end || end > units) {
            throw new IllegalArgumentException(
                    "units: [" + begin + ", " + end + ") (expected: within [0, " + units + "))");
        }
    }

    static void epsilon(float epsilon) {
        if (!(epsilon > 0)) {
            throw new IllegalArgumentException("epsilon: " + epsilon + " (expected: > 0)");
        }
    }
}
