/**
 * The operators of TorchScript's own types: numbers, strings, lists, dictionaries, devices, exceptions. Operators on
 * tensors are in the {@code aten} package; all of them register in the same way.
 */
package org.torchnnapi.operators.builtin;
