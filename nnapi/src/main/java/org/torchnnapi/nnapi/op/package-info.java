/**
 * The 102 operations, one file each, and what they are written with.
 *
 * <p><b>Adding an operation.</b> Write a final package-private class extending
 * {@link org.torchnnapi.nnapi.op.OperationDefinition} and add its line to
 * {@link org.torchnnapi.nnapi.op.OperationTable}. {@code Add}, {@code Softmax}, {@code Conv2d}, {@code Reshape} and
 * {@code TopKV2} are the patterns.
 *
 * <ol>
 *   <li>Name the operands, in their order: {@code OperandNames INPUTS = OperandNames.of("input", "axis")}, and take
 *       their positions from there: {@code int AXIS = INPUTS.at("axis")}. Where a position depends on the signature,
 *       ask the operation: {@code operation.at("layout")}.
 *   <li>Declare what is accepted in the constructor with {@link org.torchnnapi.nnapi.op.Signatures}: the types, as rows
 *       (leading inputs and outputs) times tails (trailing scalars), each with the feature level that introduced it,
 *       separate groups by {@code and()} or {@code names(...)}; ranks, ranges and axes of scalars, scales and zero
 *       points by name. These hold when the model is made and when it runs. Name the inputs that may be left out with
 *       {@code optional(...)}; say {@code zeroSizedInputs()} if empty tensors are accepted.
 *   <li>{@code check}: what no rule says and can be known before an execution, by {@code operation.require...}; what
 *       needs a higher feature level than the signature, by {@code operation.needs}.
 *   <li>{@code inferShapes}: check the now known shapes ({@code operation.require...} throws) and call
 *       {@code setOutput(OUT, dims)} for each output. Values of inputs may be read; if they come late, so does the
 *       call. A shape that depends on data is set in {@code execute}.
 *   <li>{@code execute}: the plain kernel, through {@link org.torchnnapi.nnapi.op.FloatView} (float32, float16 and
 *       quantized as real numbers, so that one loop serves all) or {@link org.torchnnapi.nnapi.op.IntView} (stored
 *       integers; for pure data movement, any type). Sum in double, round once, use {@code StrictMath}: the same bytes
 *       on every JVM. Never optimised.
 * </ol>
 *
 * {@link org.torchnnapi.nnapi.op.PaddingCode} knows padding, {@link org.torchnnapi.nnapi.op.ImageOrder} NHWC and NCHW,
 * {@link org.torchnnapi.nnapi.op.Broadcast} broadcasting, {@code ProductSum} and {@code QuantizedProduct} the
 * arithmetic and rules of convolutions.
 */
package org.torchnnapi.nnapi.op;
