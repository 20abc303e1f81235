/**
 * The converter's own voice, for models that PyTorch's converter does not take: the graph is specialised for the shapes of
 * its inputs, what does not depend on the inputs' elements becomes constant, and each operator is lowered to the NNAPI
 * operations that suit it best, in whatever order of dimensions they want.
 */
package org.torchnnapi.converter.free;
