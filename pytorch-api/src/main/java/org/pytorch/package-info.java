/**
 * PyTorch's Java API: load a TorchScript model, converted for NNAPI or not, and run it. Binary compatible with PyTorch
 * 1.13's.
 */
package org.pytorch;
