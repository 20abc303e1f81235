package org.torchnnapi.operators;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * The memory that operators in place write to: each element has a place of its own there, and what else is read lies
 * elsewhere or in the very same places (ATen/MemoryOverlap.cpp); elsewhere, where an index says which elements are
 * written to. Where memory is neither dense nor expanded PyTorch does not tell, and nor does this.
 */
public final class WrittenMemory {
    private static final String CLONE = "Please clone() the tensor before performing the operation.";

    private WrittenMemory() {}

    /** The kernel, behind a check of what it writes to where PyTorch has one. */
    static OperatorKernel guarded(FunctionSchema schema, OperatorKernel kernel) {
        if (!isChecked(schema)) {
            return kernel;
        }
        return args -> {
            require(schema, args);
            return kernel.call(args);
        };
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
