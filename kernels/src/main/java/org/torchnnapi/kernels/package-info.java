/**
 * Fast CPU kernels behind one checked face.
 *
 * <p>Work is described once by a plan ({@link org.torchnnapi.kernels.FloatConv},
 * {@link org.torchnnapi.kernels.QuantizedConv}) that packs weights and checks its arguments; running a plan allocates
 * nothing and touches only its share of the work, a range of <i>units</i>, so that a caller splits it over threads as
 * it likes ({@link org.torchnnapi.kernels.KernelPool} is one way). Results do not depend on how the units are split.
 * Which machine code runs is decided once at start, see {@link org.torchnnapi.kernels.Kernels}.
 *
 * <p>Images are one sample each: a batch is a loop of its caller, who moves the offsets.
 */
package org.torchnnapi.kernels;
