/**
 * Doors to the runtime: {@link org.torchnnapi.api.NnapiRuntime} loads models for chosen devices,
 * {@link org.torchnnapi.api.Explanation} says where they run and why. Converting is
 * {@link org.torchnnapi.converter.Converter}'s, quantizing {@link org.torchnnapi.quantizer.Quantizer}'s, and running as
 * in PyTorch {@link org.pytorch.Module}'s.
 */
package org.torchnnapi.api;
