/** Models that run: TorchScript modules whose NNAPI parts run on the NNAPI runtime. */
package org.torchnnapi.engine;
