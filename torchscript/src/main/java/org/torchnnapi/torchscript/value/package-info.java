/**
 * Runtime values of TorchScript. Plain Java types where they exist: {@code int} is {@link java.lang.Long},
 * {@code float} {@link java.lang.Double}, {@code bool} {@link java.lang.Boolean}, {@code str} {@link java.lang.String},
 * {@code None} is {@code null}, {@code Tensor} {@link org.torchnnapi.tensor.Tensor}; dtypes, layouts and memory formats
 * are ints. The other types have a class here.
 */
package org.torchnnapi.torchscript.value;
