package org.torchnnapi.converter.model;

import org.torchnnapi.tensor.DType;

/**
 * An output that the converted module allocates before a run.
 *
 * @param sizes PyTorch's
 * @param scale quantization step, used for quint8 only
 * @param zeroPoint used for quint8 only
 */
public record OutputTemplate(DType dtype, int[] sizes, double scale, int zeroPoint) {}
