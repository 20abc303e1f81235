/**
 * From a model to an answer. {@link org.torchnnapi.nnapi.runtime.Devices} finds the devices;
 * {@link org.torchnnapi.nnapi.runtime.CompilationBuilder} divides a model among them and has each part prepared; a
 * {@link org.torchnnapi.nnapi.runtime.Compilation} explains its {@link org.torchnnapi.nnapi.runtime.Placement} and
 * runs, through {@link org.torchnnapi.nnapi.runtime.Execution} in the specification's terms or {@code run} in one call.
 *
 * <pre>{@code
 * try (Compilation compilation = new CompilationBuilder(model).finish()) {
 *     List<Compilation.Output> outputs = compilation.run(List.of(FloatBuffer.wrap(values)), null);
 * }
 * }</pre>
 */
package org.torchnnapi.nnapi.runtime;
