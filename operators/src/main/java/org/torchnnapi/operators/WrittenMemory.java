package org.torchnnapi.operators;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * The memory that operators in place write to: each element has a place of its own there, and what else is read lies
 * elsewhere or in the very same places (ATen/MemoryOverlap.cpp); elsewhere, where an index says which elements are
 * written to. Where memory is neither dense nor expanded PyTorch does not tell, and writes to one place again and
 * again: windows that {@code unfold} gives.
 */
public final class WrittenMemory {
    private static final String CLONE = "Please clone() the tensor before performing the operation.";

    private WrittenMemory() {}

    /** The kernel, behind a check of what it writes to where PyTorch has one. */
    static OperatorKernel guarded(FunctionSchema schema, OperatorKernel kernel) {
        if (!isChecked(schema)) {
            return kernel;
        }
        int written = onlyWritten(schema);
        boolean inTurn = OperatorTrait.ELEMENTWISE.of(schema) && written >= 0;
        return args -> {
            require(schema, args);
            return inTurn && args[written] instanceof Tensor target && overlaps(target)
                    ? inTurn(kernel, args, written)
                    : kernel.call(args);
        };
    }

    private static int onlyWritten(FunctionSchema schema) {
        List<FunctionSchema.Argument> formals = schema.arguments();
        int found = -1;
        for (int i = 0; i < formals.size(); i++) {
            if (formals.get(i).mutated()) {
                if (found >= 0) {
                    return -1;
                }
                found = i;
            }
        }
        return found;
    }

    /** Whether elements share their places with others. */
    private static boolean overlaps(Tensor t) {
        int[] order = MemoryOrder.order(t);
        long reach = 0;
        for (int i = order.length - 1; i >= 0; i--) {
            int size = t.sizes()[order[i]];
            if (size == 0) {
                return false;
            }
            if (size > 1) {
                if (t.strides()[order[i]] <= reach) {
                    return true;
                }
                reach += (long) (size - 1) * t.strides()[order[i]];
            }
        }
        return false;
    }

    /** One row after the other, as each finds what those before it wrote. */
    private static Object inTurn(OperatorKernel kernel, Object[] args, int written) {
        Tensor target = (Tensor) args[written];
        int[] order = MemoryOrder.order(target);
        long rows = target.numel() / target.size(order[order.length - 1]);
        for (long row = 0; row < rows; row++) {
            Object[] own = args.clone();
            for (int k = 0; k < args.length; k++) {
                if (args[k] instanceof Tensor tensor && tensor.rank() > 0) {
                    own[k] = row(BroadcastShapes.expand(tensor, target.sizes()).permute(order), row);
                }
            }
            kernel.call(own);
        }
        return target;
    }

    private static Tensor row(Tensor t, long row) {
        int last = t.rank() - 1;
        long left = row;
        int offset = t.offset();
        for (int d = last - 1; d >= 0; d--) {
            offset += (int) (left % t.sizes()[d]) * t.strides()[d];
            left /= t.sizes()[d];
        }
        return t.asStrided(new int[] {t.sizes()[last]}, new int[] {t.strides()[last]}, offset);
    }

    private static boolean isChecked(FunctionSchema schema) {
        return schema.isMutating()
                && !OperatorTrait.WRITES_REPEATED.of(schema)
                && (OperatorTrait.ELEMENTWISE.of(schema)
                        || OperatorTrait.KEEPS_SHAPE.of(schema)
                        || OperatorTrait.RANDOM.of(schema));
    }

    /** @throws IllegalArgumentException if what a call writes to may not be written to so */
    public static void require(FunctionSchema schema, Object[] args) {
        if (!isChecked(schema)) {
            return;
        }
        List<FunctionSchema.Argument> formals = schema.arguments();
        boolean placed = schema.indexOf("index") >= 0 || schema.indexOf("indices") >= 0;
        for (int i = 0; i < formals.size() && i < args.length; i++) {
            if (!formals.get(i).mutated() || !(args[i] instanceof Tensor)) {
                continue;
            }
            Tensor target = (Tensor) args[i];
            if (repeats(target)) {
                throw new IllegalArgumentException("unsupported operation: more than one element of the written-to "
                        + "tensor refers to a single memory location. " + CLONE);
            }
            for (int k = 0; k < args.length; k++) {
                if (k != i && args[k] instanceof Tensor && meets(target, (Tensor) args[k], placed)) {
                    throw new IllegalArgumentException("unsupported operation: some elements of the input tensor and "
                            + "the written-to tensor refer to a single memory location. " + CLONE);
                }
            }
        }
    }

    private static boolean repeats(Tensor t) {
        for (int d = 0; d < t.rank(); d++) {
            if (t.strides()[d] == 0 && t.sizes()[d] > 1) {
                return t.numel() > 0;
            }
        }
        return false;
    }

    /** Whether they share some of their memory, but not element by element, which counts only where it is placed. */
    private static boolean meets(Tensor written, Tensor read, boolean placed) {
        if (written.storage() != read.storage()
                || written.numel() == 0
                || read.numel() == 0
                || !MemoryOrder.isDense(written)
                || !MemoryOrder.isDense(read)) {
            return false;
        }
        if (written.offset() == read.offset() && written.numel() == read.numel()) {
            return placed || !Arrays.equals(written.strides(), read.strides());
        }
        return written.offset() < read.offset() + read.numel() && read.offset() < written.offset() + written.numel();
    }
}
