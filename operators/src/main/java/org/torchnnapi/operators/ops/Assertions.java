package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtype;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Statements that a program makes about tensors and numbers, which fail where they do not hold. */
public final class Assertions implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ACTING);
        r.op(
                "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? "
                        + "dtype=None, *, Device? device=None, "
                        + "Layout? layout=None) -> ()",
                a -> {
                    Tensor t = tensor(a, 0);
                    boolean holds = (a[1] == null || Arrays.equals(integers(a, 1), longs(t.sizes())))
                            && (a[2] == null || Arrays.equals(integers(a, 2), longs(t.strides())))
                            && (a[3] == null || dtype(a, 3) == t.dtype());
                    return check(holds, "Tensor sizes, strides or dtype mismatch: " + t);
                });
        r.op(
                "aten::_assert_async(Tensor self) -> ()",
                a -> check(holds(tensor(a, 0)), "Expected Tensor with single nonzero value, but got zero"));
        r.op("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", a -> check(holds(tensor(a, 0)), text(a, 1)));
        r.op("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", a -> check(real(a, 0) != 0, text(a, 1)));
        for (String name : new String[] {"sym_constrain_range", "sym_constrain_range_for_size"}) {
            r.op("aten::" + name + "(Scalar size, *, int? min=None, int? max=None) -> ()", a -> {
                long size = integer(a, 0);
                return check(
                        (a[1] == null || size >= integer(a, 1)) && (a[2] == null || size <= integer(a, 2)),
                        "Invalid value range for " + size + " between [" + a[1] + ", " + a[2] + "].");
            });
        }
        all.composite("aten::_is_all_true(Tensor self) -> Tensor", "return torch.all(self)");
        all.composite("aten::_is_any_true(Tensor self) -> Tensor", "return torch.any(self)");
    }

    private static boolean holds(Tensor t) {
        if (t.numel() != 1) {
            throw new IllegalArgumentException("Boolean value of Tensor with " + t.numel() + " values is ambiguous");
        }
        return t.getDouble(0) != 0;
    }

    private static long[] longs(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    private static Object check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
        return null;
    }
}
