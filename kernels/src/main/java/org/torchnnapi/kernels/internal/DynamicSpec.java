package org.torchnnapi.kernels.internal;

/**
 * A product of rows of bytes with constant bytes, for floats; see {@link org.torchnnapi.kernels.DynamicProduct}.
 *
 * @param weights {@code [outputs][inputs]}, less their zero points
 * @param scales of the weights, one an output
 * @param bias one an output
 */
public record DynamicSpec(int inputs, int outputs, byte[] weights, float[] scales, float[] bias, boolean relu) {}
