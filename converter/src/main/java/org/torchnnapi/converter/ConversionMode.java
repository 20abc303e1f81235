package org.torchnnapi.converter;

/** What happens to the quantize and dequantize steps at the ends of a model. */
public enum ConversionMode {
    /** The model is converted as it is, usually a float model. */
    NONE,
    /** The steps stay on the CPU around the NNAPI model: float tensors in and out. */
    CORE,
    /** The steps go: the application passes quantized tensors and gets them back. */
    FULL,
    /**
     * The steps become QUANTIZE and DEQUANTIZE inside the NNAPI model, whose quantized inputs are made NHWC: float
     * tensors in and out.
     */
    EMBEDDED
}
