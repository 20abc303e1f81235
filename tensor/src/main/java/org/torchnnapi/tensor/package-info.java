/**
 * Tensors: a {@link org.torchnnapi.tensor.Tensor} is a strided view of a {@link org.torchnnapi.tensor.Storage}, a Java
 * array or bytes of a mapped file. Sizes, strides and offsets count elements; quantized tensors carry a
 * {@link org.torchnnapi.tensor.Quantization}.
 */
package org.torchnnapi.tensor;
