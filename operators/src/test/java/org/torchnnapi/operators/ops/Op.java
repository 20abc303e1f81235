package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Calls operators by name for tests; what is left out at the end takes its default. */
final class Op {
    private Op() {}

    /** @param name full name with overload, {@code aten::} left out */
    static Object call(String name, Object... arguments) {
        String full = name.contains("::") ? name : "aten::" + name;
        int dot = full.indexOf('.');
        String kind = dot < 0 ? full : full.substring(0, dot);
        Operator operator = OperatorRegistry.withBuiltins().overloads(kind).stream()
                .filter(o -> o.schema().fullName().equals(full))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no operator " + full));
        List<Object> all = new ArrayList<>(Arrays.asList(arguments));
        List<FunctionSchema.Argument> formals = operator.schema().arguments();
        for (int i = all.size(); i < formals.size(); i++) {
            all.add(formals.get(i).defaultValue());
        }
        return operator.kernel().call(all.toArray());
    }

    static Tensor tensor(String name, Object... arguments) {
        return (Tensor) call(name, arguments);
    }

    static Tensor[] tensors(String name, Object... arguments) {
        return Arrays.stream((Object[]) call(name, arguments)).toArray(Tensor[]::new);
    }

    static Tensor floats(int[] sizes, double... values) {
        float[] narrow = new float[values.length];
        for (int i = 0; i < narrow.length; i++) {
            narrow[i] = (float) values[i];
        }
        return Tensor.of(narrow, sizes);
    }

    /** Of the sizes, with 0, 1, 2 and so on as elements. */
    static Tensor counted(int... sizes) {
        return floats(
                sizes,
                IntStream.range(0, Arrays.stream(sizes).reduce(1, (a, b) -> a * b))
                        .asDoubleStream()
                        .toArray());
    }

    static Tensor vector(double... values) {
        return floats(new int[] {values.length}, values);
    }

    static Tensor longs(long... values) {
        return Tensor.of(values, values.length);
    }

    static ScriptList ints(long... values) {
        return ScriptList.ofInts(values);
    }

    static ScriptList list(Tensor... tensors) {
        return new ScriptList(Type.Basic.TENSOR, List.of(tensors));
    }

    static int[] sizes(int... sizes) {
        return sizes;
    }

    /** Compares the type too. */
    static void expect(Tensor actual, DType type, int[] sizes, double... elements) {
        assertEquals(type, actual.dtype());
        expect(actual, sizes, elements);
    }

    /** Compares sizes exactly and elements to about float precision; NaN equals NaN. */
    static void expect(Tensor actual, int[] sizes, double... elements) {
        assertArrayEquals(sizes, actual.sizes());
        double[] values = new double[(int) actual.numel()];
        for (int i = 0; i < values.length; i++) {
            values[i] = actual.getDouble(i);
        }
        assertEquals(elements.length, values.length);
        for (int i = 0; i < values.length; i++) {
            // What is not finite must be met exactly, which it is before any tolerance counts.
            double tolerance = Double.isFinite(elements[i]) ? 1e-5 * Math.max(1, Math.abs(elements[i])) : 1;
            int at = i;
            assertEquals(elements[i], values[i], tolerance, () -> "element " + at + " of " + Arrays.toString(values));
        }
    }
}
