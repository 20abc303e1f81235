/** The converted file: the serialized NNAPI model and the TorchScript module around it. */
package org.torchnnapi.converter.emit;
