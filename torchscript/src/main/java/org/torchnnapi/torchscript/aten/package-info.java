/**
 * Operators on tensors: each has PyTorch's schema and a kernel ({@link org.torchnnapi.torchscript.aten.Operator}), a family of them a class in
 * {@code ops} ({@link org.torchnnapi.torchscript.aten.OperatorFamily}), and {@link org.torchnnapi.torchscript.aten.OperatorRegistry} finds the
 * one that a name and arguments mean.
 */
package org.torchnnapi.torchscript.aten;
