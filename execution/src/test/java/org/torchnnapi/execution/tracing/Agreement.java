package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Demands that a specialised method gives what the interpreter gives: elements, geometry, quantization. */
public final class Agreement {
    private static final double TOLERANCE = 2e-5;
    private static final Random RANDOM = new Random(7);

    private Agreement() {}

    public static Tensor floats(int... sizes) {
        float[] values = new float[(int) Shape.numel(sizes)];
        for (int i = 0; i < values.length; i++) {
            values[i] = RANDOM.nextFloat() * 4 - 2;
        }
        return Tensor.of(values, sizes);
    }

    /** Whole numbers from 0 to {@code limit} less one. */
    public static Tensor longs(int limit, int... sizes) {
        return Tensor.of(RANDOM.longs(Shape.numel(sizes), 0, limit).toArray(), sizes);
    }

    /** Quint8 with scale 0.03 and zero point 117. */
    public static Tensor bytes(int... sizes) {
        return QuantizedMath.quantize(floats(sizes), new Quantization.PerTensor(0.03, 117), DType.QUINT8);
    }

    public static Tensor last(Tensor images) {
        return images.copy(MemoryFormat.CHANNELS_LAST);
    }

    /**
     * Runs lines with {@code x}, {@code y}, {@code z} for the inputs: all in programs, and again with other elements.
     *
     * @return how it ran
     */
    public static List<String> lowered(List<String> lines, Object[] constants, Tensor... inputs) {
        Methods methods = compare(lines, constants, inputs);
        List<String> description = methods.description();
        assertTrue(description.get(0).startsWith("forward: 0 operators called"), description + " of " + lines);
        return description;
    }

    /** An expression of {@code x}, {@code y}, {@code z}; images also with their channels last. */
    public static void lowered(String expression, Object[] constants, Tensor... inputs) {
        lowered(List.of("return " + expression), constants, inputs);
        if (inputs[0].rank() == 4) {
            Tensor[] turned = inputs.clone();
            turned[0] = last(inputs[0]);
            lowered(List.of("return " + expression), constants, turned);
        }
    }

    public static void lowered(String expression, Tensor... inputs) {
        lowered(expression, new Object[0], inputs);
    }

    /** As {@link #lowered(List, Object[], Tensor...)}, however it runs. */
    public static Methods compare(List<String> lines, Object[] constants, Tensor... inputs) {
        Methods methods = Methods.forward(inputs.length, lines, constants);
        for (int call = 0; call < 3; call++) {
            Tensor[] given = inputs.clone();
            for (int i = 0; i < given.length; i++) {
                given[i] = call == 0 ? inputs[i] : shuffled(inputs[i]);
            }
            equal(
                    methods.interpret("forward", (Object[]) given),
                    methods.specialise("forward", (Object[]) given),
                    lines.toString());
        }
        return methods;
    }

    /**
     * As {@link #lowered(String, Object[], Tensor...)}, and compared with the interpreter on the same numbers as
     * float64 besides: where the operator's own float32 form uses the kernels of programs, agreement with it alone
     * shows nothing of them.
     */
    public static void loweredAsInDouble(String expression, Object[] constants, Tensor... inputs) {
        lowered(expression, constants, inputs);
        List<String> lines = List.of("return " + expression);
        Tensor expected = (Tensor)
                Methods.forward(inputs.length, lines, doubles(constants)).interpret("forward", doubles(inputs));
        Tensor actual =
                (Tensor) Methods.forward(inputs.length, lines, constants).specialise("forward", (Object[]) inputs);
        assertArrayEquals(expected.sizes(), actual.sizes(), expression);
        for (int i = 0; i < expected.numel(); i++) {
            double wanted = expected.getDouble(i);
            assertEquals(
                    wanted,
                    actual.getDouble(i),
                    TOLERANCE * Math.max(1, Math.abs(wanted)),
                    expression + " element " + i);
        }
    }

    private static Object[] doubles(Object[] values) {
        return Arrays.stream(values)
                .map(value -> Elements.cast((Tensor) value, DType.FLOAT64))
                .toArray();
    }

    /** The same geometry with the elements in another order. */
    private static Tensor shuffled(Tensor t) {
        Tensor copy = TensorGeometry.of(t).zeros();
        copy.copyFrom(t);
        if (copy.storage().array() instanceof float[] values) {
            for (int i = 0; i < values.length; i++) {
                int j = RANDOM.nextInt(values.length);
                float swap = values[i];
                values[i] = values[j];
                values[j] = swap;
            }
        } else if (copy.storage().array() instanceof byte[] values) {
            RANDOM.nextBytes(values);
        } else if (copy.storage().array() instanceof long[] values) {
            for (int i = 0; i < values.length; i++) {
                int j = RANDOM.nextInt(values.length);
                long swap = values[i];
                values[i] = values[j];
                values[j] = swap;
            }
        }
        return copy;
    }

    public static void equal(Object expected, Object actual, String what) {
        if (expected instanceof ScriptTuple tuple) {
            equal(tuple.items(), ((ScriptTuple) actual).items(), what);
        } else if (expected instanceof ScriptList list) {
            equal(list.items(), ((ScriptList) actual).items(), what);
        } else if (expected instanceof Tensor a) {
            equal(a, (Tensor) actual, what);
        } else {
            assertEquals(expected, actual, what);
        }
    }

    private static void equal(List<Object> expected, List<Object> actual, String what) {
        assertEquals(expected.size(), actual.size(), what);
        for (int i = 0; i < expected.size(); i++) {
            equal(expected.get(i), actual.get(i), what + " [" + i + "]");
        }
    }

    private static void equal(Tensor expected, Tensor actual, String what) {
        assertEquals(expected.dtype(), actual.dtype(), what);
        assertArrayEquals(expected.sizes(), actual.sizes(), what);
        assertArrayEquals(expected.strides(), actual.strides(), what + " strides");
        assertEquals(expected.quantization(), actual.quantization(), what);
        if (expected.dtype() == DType.FLOAT32) {
            float[] a = expected.contiguous().toFloatArray();
            float[] b = actual.contiguous().toFloatArray();
            for (int i = 0; i < a.length; i++) {
                float within = Float.isFinite(a[i]) ? (float) TOLERANCE * Math.max(1, Math.abs(a[i])) : 1;
                assertEquals(a[i], b[i], within, what + " element " + i);
            }
        } else {
            assertArrayEquals(expected.toLongArray(), actual.toLongArray(), what);
        }
    }
}
