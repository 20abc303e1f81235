/**
 * What a TorchScript graph goes through before it is lowered: each pass changes a graph in place and leaves what it computes as it was;
 * {@link org.torchnnapi.converter.passes.Passes} says in which order.
 */
package org.torchnnapi.converter.passes;
