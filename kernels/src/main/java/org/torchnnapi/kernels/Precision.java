package org.torchnnapi.kernels;

/** How exact the products of a convolution or a fully connected layer must be. */
public enum Precision {
    /** Products and sums in floats of 32 bits. */
    FLOAT32,
    /**
     * As exact as floats of 16 bits (IEEE 754 binary16) allow, and within their range: where this machine's kernels
     * {@linkplain Kernels#computesHalves compute with such}, factors are rounded to them and up to 64 products are
     * added up in them, with a relative error of up to 2^-11 each; more are added up in floats of 32 bits. What is
     * 65520 or more in magnitude may become infinite. Elsewhere it is {@link #FLOAT32}.
     */
    FLOAT16
}
