package org.torchnnapi.operators.support;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Typed access to an operator's arguments, by position. Every method throws {@link IllegalArgumentException} with the
 * position and the value if an argument is missing or of another type.
 */
public final class Args {
    private Args() {}

    public static Tensor tensor(Object[] args, int i) {
        if (at(args, i) instanceof Tensor t) {
            return t;
        }
        throw wrong(args, i, "a Tensor");
    }

    public static Tensor tensorOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : tensor(args, i);
    }

    /** An int, also from a bool or a one-element integer tensor. */
    public static long integer(Object[] args, int i) {
        Object v = at(args, i);
        if (v instanceof Long l) {
            return l;
        }
        if (v instanceof Boolean b) {
            return b ? 1 : 0;
        }
        if (v instanceof Tensor t && t.numel() == 1 && t.dtype().isIntegral()) {
            return t.getLong(0);
        }
        throw wrong(args, i, "an int");
    }

    public static Long integerOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : (Long) integer(args, i);
    }

    /** An int within 32 bits. */
    public static int int32(Object[] args, int i) {
        long v = integer(args, i);
        if (v != (int) v) {
            throw wrong(args, i, "an int within 32 bits");
        }
        return (int) v;
    }

    /** A number as a double; bools count as 0 and 1. */
    public static double real(Object[] args, int i) {
        Object v = at(args, i);
        if (v instanceof Double d) {
            return d;
        }
        if (v instanceof Long l) {
            return l;
        }
        if (v instanceof Boolean b) {
            return b ? 1 : 0;
        }
        if (v instanceof Complex c && c.imaginary() == 0) {
            return c.real();
        }
        if (v instanceof Tensor t && t.numel() == 1) {
            return t.getDouble(0);
        }
        throw wrong(args, i, "a number");
    }

    public static Double realOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : (Double) real(args, i);
    }

    public static boolean flag(Object[] args, int i) {
        Object v = at(args, i);
        if (v instanceof Boolean b) {
            return b;
        }
        if (v instanceof Long l) {
            return l != 0;
        }
        throw wrong(args, i, "a bool");
    }

    public static Boolean flagOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : (Boolean) flag(args, i);
    }

    public static String text(Object[] args, int i) {
        if (at(args, i) instanceof String s) {
            return s;
        }
        throw wrong(args, i, "a str");
    }

    public static String textOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : text(args, i);
    }

    /** A number of any kind: Long, Double, Boolean or Complex. */
    public static Object scalar(Object[] args, int i) {
        Object v = at(args, i);
        if (v instanceof Long || v instanceof Double || v instanceof Boolean || v instanceof Complex) {
            return v;
        }
        if (v instanceof Tensor t && t.numel() == 1) {
            return Tensors.item(t);
        }
        throw wrong(args, i, "a number");
    }

    public static Object scalarOrNull(Object[] args, int i) {
        return at(args, i) == null ? null : scalar(args, i);
    }

    /** A tensor or a number. */
    public static Object operand(Object[] args, int i) {
        return at(args, i) instanceof Tensor t ? t : scalar(args, i);
    }

    /** An int list; a single int counts as a list of one. */
    public static long[] integers(Object[] args, int i) {
        Object v = at(args, i);
        if (v instanceof Long l) {
            return new long[] {l};
        }
        if (v instanceof ScriptList list) {
            long[] out = new long[list.size()];
            for (int k = 0; k < out.length; k++) {
                Object item = list.get(k);
                if (item instanceof Tensor t && t.numel() == 1) {
                    out[k] = t.getLong(0);
                } else if (item instanceof Long l) {
                    out[k] = l;
                } else if (item instanceof Boolean b) {
                    out[k] = b ? 1 : 0;
                } else {
                    throw wrong(args, i, "a list of ints");
                }
            }
            return out;
        }
        throw wrong(args, i, "a list of ints");
    }

    public static int[] ints(Object[] args, int i) {
        return Shape.toInts(integers(args, i));
    }

    /** A list of {@code count} ints; a list of one stands for all. */
    public static int[] ints(Object[] args, int i, int count) {
        int[] v = ints(args, i);
        if (v.length == 1 && count != 1) {
            int[] all = new int[count];
            Arrays.fill(all, v[0]);
            return all;
        }
        if (v.length != count) {
            throw wrong(args, i, count + " ints");
        }
        return v;
    }

    public static double[] reals(Object[] args, int i) {
        if (at(args, i) instanceof ScriptList list) {
            double[] out = new double[list.size()];
            for (int k = 0; k < out.length; k++) {
                if (!(list.get(k) instanceof Number n)) {
                    throw wrong(args, i, "a list of numbers");
                }
                out[k] = n.doubleValue();
            }
            return out;
        }
        throw wrong(args, i, "a list of numbers");
    }

    /** A tensor list; entries may be null where the schema has {@code Tensor?[]}. */
    public static List<Tensor> tensors(Object[] args, int i) {
        if (at(args, i) instanceof ScriptList list) {
            List<Tensor> out = new ArrayList<>(list.size());
            for (Object item : list.items()) {
                if (item != null && !(item instanceof Tensor)) {
                    throw wrong(args, i, "a list of Tensors");
                }
                out.add((Tensor) item);
            }
            return out;
        }
        throw wrong(args, i, "a list of Tensors");
    }

    public static DType dtype(Object[] args, int i) {
        return DType.ofCode(integer(args, i));
    }

    public static DType dtypeOr(Object[] args, int i, DType otherwise) {
        return at(args, i) == null ? otherwise : dtype(args, i);
    }

    public static MemoryFormat formatOr(Object[] args, int i, MemoryFormat otherwise) {
        return at(args, i) == null ? otherwise : MemoryFormat.ofCode(integer(args, i));
    }

    /** A dimension of a tensor of that rank, counted from the start. */
    public static int dim(Object[] args, int i, int rank) {
        return Shape.wrap(integer(args, i), rank);
    }

    /** A {@code List[Tensor]} value. */
    public static ScriptList list(List<Tensor> tensors) {
        return new ScriptList(Type.Basic.TENSOR, tensors);
    }

    private static Object at(Object[] args, int i) {
        if (i >= args.length) {
            throw new IllegalArgumentException("arguments: " + args.length + " (expected: at least " + (i + 1) + ")");
        }
        return args[i];
    }

    private static IllegalArgumentException wrong(Object[] args, int i, String expected) {
        Object v = args[i];
        String shown = v == null
                ? "None"
                : v instanceof Tensor
                        ? v.toString()
                        : v.getClass().getSimpleName() + " " + Strings.beginning(v.toString(), 80);
        return new IllegalArgumentException("argument " + i + ": " + shown + " (expected: " + expected + ")");
    }
}
