/**
 * PyTorch's own way of converting, to the bytes of its converter: a whole graph, or its quantized core, becomes one
 * serialized model. Everything that is only there for that is in this package, and only
 * {@code org.torchnnapi.converter.CompatConverter} uses it.
 */
package org.torchnnapi.converter.compat;
