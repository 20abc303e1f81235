/** Divides a model into what NNAPI runs and what stays TorchScript around it. */
package org.torchnnapi.converter.split;
