/**
 * Weights prepared for operators, which TorchScript sees as objects of custom classes: {@code quantized.*},
 * {@code rnn.*} and {@code xnnpack.*}. Their states are what PyTorch's {@code __getstate__} gives.
 */
package org.torchnnapi.operators.packed;
