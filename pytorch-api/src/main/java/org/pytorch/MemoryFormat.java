package org.pytorch;

/** Order of a tensor's elements in memory. */
public enum MemoryFormat {
    /** The last dimension is densest. */
    CONTIGUOUS,
    /** NCHW sizes whose elements lie as NHWC. */
    CHANNELS_LAST,
    /** NCDHW sizes whose elements lie as NDHWC. */
    CHANNELS_LAST_3D
}
