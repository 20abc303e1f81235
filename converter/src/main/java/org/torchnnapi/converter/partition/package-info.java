/**
 * From a method's graph to a module that calls NNAPI: {@code ConversionPipeline} has the passes in order. A graph that
 * {@code partial} specialised for the shapes of its inputs is divided by cost into segments that NNAPI computes and
 * what stays TorchScript, and {@code lower} lowers each node of a segment to the NNAPI operations that suit it best.
 */
package org.torchnnapi.converter.partition;
