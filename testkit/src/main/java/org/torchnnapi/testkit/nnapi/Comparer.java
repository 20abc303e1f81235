package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/** Judges an output by the bounds of the conformance tests. */
final class Comparer {
    /** Mismatches named in full; the rest is counted. */
    private static final int MAX_NAMED = 3;

    private static final double STRICT_ATOL = 1e-5f;
    private static final double STRICT_RTOL = 5 * 0x1p-23;
    private static final double LOOSE = 5 * 0x1p-10;

    private Comparer() {}

    /**
     * Compares one output.
     *
     * @param dimensions as the execution reported them
     * @return what is wrong, or null
     */
    static String compare(TestCase test, TestOperand expected, int[] dimensions, ByteBuffer actual) {
        int[] wanted = expected.descriptor().dimensions();
        if (!Arrays.equals(wanted, dimensions)) {
            return "dimensions: actual " + Arrays.toString(dimensions) + ", expected " + Arrays.toString(wanted);
        }
        if (test.multinomialTolerance() > 0) {
            return compareDistribution(test, expected, actual);
        }
        double atol = 0;
        double rtol = 0;
        switch (expected.type()) {
            case TENSOR_FLOAT32 -> {
                atol = test.isLoose() ? LOOSE : STRICT_ATOL;
                rtol = test.isLoose() ? LOOSE : STRICT_RTOL;
            }
            case TENSOR_FLOAT16 -> {
                atol = LOOSE;
                rtol = LOOSE;
            }
            case TENSOR_INT32, INT32, TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM -> atol = 1;
            case TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM ->
                atol = test.name().contains("mobilenet") ? 3 : 1;
            case TENSOR_BOOL8 -> atol = 0;
            default -> {
                return "output type: " + expected.type() + " (expected: one that can be judged)";
            }
        }
        return compareElements(expected, actual, atol, rtol);
    }

    private static String compareElements(TestOperand expected, ByteBuffer actual, double atol, double rtol) {
        int count = expected.expectedBytes() / expected.type().elementBytes();
        int wrong = 0;
        StringBuilder named = new StringBuilder();
        for (int i = 0; i < count; i++) {
            double e = element(expected.type(), expected.data(), i);
            double a = element(expected.type(), actual, i);
            if (!(Math.abs(a - e) <= atol + rtol * Math.abs(e))) {
                if (wrong++ < MAX_NAMED) {
                    named.append(String.format(
                            Locale.ROOT, "%n      [%d] actual %s, expected %s, error %s", i, a, e, Math.abs(a - e)));
                }
            }
        }
        return wrong == 0 ? null : wrong + " of " + count + " elements wrong" + named;
    }

    private static String compareDistribution(TestCase test, TestOperand expected, ByteBuffer actual) {
        TestOperand logits = test.main().operands().get(test.main().inputs()[0]);
        int classes = logits.expectedBytes() / logits.type().elementBytes();
        float[] weights = new float[classes];
        float sum = 0;
        for (int i = 0; i < classes; i++) {
            weights[i] = (float) Math.exp(element(logits.type(), logits.data(), i));
            sum += weights[i];
        }
        int samples = expected.expectedBytes() / Integer.BYTES;
        int[] counts = new int[classes];
        for (int i = 0; i < samples; i++) {
            int drawn = actual.getInt(4 * i);
            if (drawn < 0 || drawn >= classes) {
                return "class: " + drawn + " (expected: 0 to " + (classes - 1) + ")";
            }
            counts[drawn]++;
        }
        for (int i = 0; i < classes; i++) {
            float frequency = (float) counts[i] / samples;
            float wanted = weights[i] / sum;
            if (!(Math.abs(frequency - wanted) <= test.multinomialTolerance())) {
                return "frequency of class " + i + ": actual " + frequency + ", expected " + wanted + ", error "
                        + Math.abs(frequency - wanted);
            }
        }
        return null;
    }

    private static double element(OperandType type, ByteBuffer data, int index) {
        return switch (type.element()) {
            case FLOAT32 -> data.getFloat(4 * index);
            case FLOAT16 -> Half.toFloat(data.getShort(2 * index));
            case INT32 -> data.getInt(4 * index);
            case INT16 -> data.getShort(2 * index);
            case UINT16 -> data.getShort(2 * index) & 0xFFFF;
            case INT8 -> data.get(index);
            case UINT8, OPAQUE -> data.get(index) & 0xFF;
            case BOOL8, NONE -> data.get(index) != 0 ? 1 : 0;
        };
    }
}
