/** The shape program of a converted model, and its two texts: Python lines and TorchScript. */
package org.torchnnapi.converter.shape;
