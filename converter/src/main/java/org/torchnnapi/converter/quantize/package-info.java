/**
 * Post-training quantization: a float module, inputs to calibrate on, and a module of PyTorch's quantized operators out of them. {@link
 * org.torchnnapi.converter.quantize.Quantizer} is the face.
 */
package org.torchnnapi.converter.quantize;
