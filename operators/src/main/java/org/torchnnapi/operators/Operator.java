package org.torchnnapi.operators;

import org.torchnnapi.torchscript.ir.FunctionSchema;

/** A callable operator overload. */
public record Operator(FunctionSchema schema, OperatorKernel kernel) {
}
