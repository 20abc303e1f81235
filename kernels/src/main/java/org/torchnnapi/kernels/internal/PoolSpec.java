package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;

/**
 * A pooling as its plan checked it.
 *
 * @param block channels that lie together
 * @param group channels of a unit of bytes, a block's or fewer
 * @param clamp of floats
 * @param factor what sums of bytes are multiplied by, in float32 and then rounded to even, in place of a division; 0
 *     for none
 */
public record PoolSpec(Pooling.Kind kind, Pooling.Window window, int block, int group, Clamp clamp, float factor) {}
