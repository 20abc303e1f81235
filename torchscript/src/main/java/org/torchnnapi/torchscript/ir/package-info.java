/**
 * Graphs in the terms of PyTorch's own IR: a {@link org.torchnnapi.torchscript.ir.Function} has a
 * {@link org.torchnnapi.torchscript.ir.Graph} of {@link org.torchnnapi.torchscript.ir.Node}s in nested
 * {@link org.torchnnapi.torchscript.ir.Block}s, each with typed {@link org.torchnnapi.torchscript.ir.Value}s.
 * {@link org.torchnnapi.torchscript.ir.GraphVerifier} says what makes a graph legal.
 */
package org.torchnnapi.torchscript.ir;
