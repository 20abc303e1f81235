/** Writes programs of torch.export: the calls of a run, lowered to the operators that PyTorch has today. */
package org.torchnnapi.exported.lowering;
