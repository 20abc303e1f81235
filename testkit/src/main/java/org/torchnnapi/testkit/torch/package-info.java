/** Runs folders of TorchScript cases: recorded inputs and PyTorch's outputs, one directory a case. */
package org.torchnnapi.testkit.torch;
