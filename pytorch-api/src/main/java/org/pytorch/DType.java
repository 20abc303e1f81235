package org.pytorch;

/** Element types of {@link Tensor}s. */
public enum DType {
    /** Unsigned 8-bit integers. */
    UINT8,
    /** Signed 8-bit integers. */
    INT8,
    /** 32-bit integers. */
    INT32,
    /** 32-bit floating point. */
    FLOAT32,
    /** 64-bit integers. */
    INT64,
    /** 64-bit floating point. */
    FLOAT64
}
