/**
 * Post-training quantization: a float module, inputs to calibrate on, and a module of PyTorch's quantized operators out
 * of them. {@link org.torchnnapi.quantizer.Quantizer} is the face.
 */
package org.torchnnapi.quantizer;
