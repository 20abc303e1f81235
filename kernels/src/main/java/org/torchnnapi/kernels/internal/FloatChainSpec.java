package org.torchnnapi.kernels.internal;

/**
 * A chain of float convolutions as its plan checked it. Between stages images are in the provider's preferred layout.
 *
 * @param expand null to begin with the depthwise stage
 * @param project null to end with the depthwise stage
 */
public record FloatChainSpec(FloatConvSpec expand, FloatConvSpec depthwise, FloatConvSpec project) {}
