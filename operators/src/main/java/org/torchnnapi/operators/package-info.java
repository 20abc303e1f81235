/**
 * Operators on tensors: each has PyTorch's schema and a kernel ({@link org.torchnnapi.operators.Operator}), a family of
 * them a class in {@code ops} ({@link org.torchnnapi.operators.OperatorFamily}), and
 * {@link org.torchnnapi.operators.OperatorRegistry} finds the one that a name and arguments mean.
 */
package org.torchnnapi.operators;
