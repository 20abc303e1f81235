/**
 * The native pipeline: a graph that {@code partial} specialised for the shapes of its inputs is divided by cost into
 * segments that NNAPI computes and what stays TorchScript, and {@code lower} lowers each node of a segment to the NNAPI
 * operations that suit it best.
 */
package org.torchnnapi.converter.partition;
