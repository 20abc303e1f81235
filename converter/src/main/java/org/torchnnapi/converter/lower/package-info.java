/**
 * From a frozen TorchScript graph to an NNAPI model: one file per family of node kinds, listed in
 * {@link org.torchnnapi.converter.lower.Adders}.
 */
package org.torchnnapi.converter.lower;
