/**
 * The operations of graphs, one file each: what they accept, how their values may lie, and the kernels that do them.
 *
 * <p><b>Adding an operation.</b> Write a public record that implements {@link org.torchnnapi.program.Op}: its
 * components are all that it is, so that equal operations are equal. {@code Unary}, {@code Binary}, {@code Pool} and
 * {@code Convolution} are the patterns.
 *
 * <ol>
 *   <li>{@code result}: check the inputs' types, by {@code Require}, and return the result's. What a graph cannot hold
 *       is refused here, not later.
 *   <li>{@code compile}: plan the kernels for the shapes and storages that the operands now have, and return a
 *       {@link org.torchnnapi.program.Step}: units of work that threads share, bound anew to the memory of each run.
 *       {@code OneInput} binds the common cases.
 *   <li>{@code wish} and {@code arrange}: which storages of images serve, if any but the declared one do.
 *   <li>{@code overwrites}, {@code limited} and their like: where the result may take an input's place, and which
 *       operation behind it can become part of it.
 * </ol>
 *
 * Beside it goes a test of the same name, against a plain twin, and a line in the benchmarks' {@code OperationCases}.
 */
package org.torchnnapi.program.op;
