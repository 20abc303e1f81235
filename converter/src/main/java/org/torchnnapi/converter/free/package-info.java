/**
 * The converter's own voice, for models that PyTorch's converter does not take: the graph is specialised for the shapes of its inputs
 * ({@code specialise}), divided by cost into segments that NNAPI computes and what stays TorchScript, and each node of a segment is lowered to
 * the NNAPI operations that suit it best ({@code lower}).
 */
package org.torchnnapi.converter.free;
