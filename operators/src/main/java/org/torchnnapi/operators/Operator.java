package org.torchnnapi.operators;

import java.util.function.Supplier;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;

/**
 * A callable operator overload.
 *
 * @param made gives what a composite is made of, and null for any other
 */
public record Operator(FunctionSchema schema, OperatorKernel kernel, Supplier<Function> made) {
    /** The kernel checks what it writes to. */
    public Operator {
        kernel = WrittenMemory.guarded(schema, kernel);
    }

    /** An operator that is not said in others. */
    public Operator(FunctionSchema schema, OperatorKernel kernel) {
        this(schema, kernel, () -> null);
    }

    /**
     * The operator as a function of its arguments in terms of other operators, or null; its graph is shared and not to
     * be changed.
     */
    public Function decomposition() {
        return made.get();
    }
}
