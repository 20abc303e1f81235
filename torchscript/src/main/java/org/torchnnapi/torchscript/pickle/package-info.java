/**
 * The pickles in TorchScript archives. Reading gives a tree of plain values: null, Boolean, Long, Double, String,
 * {@link org.torchnnapi.torchscript.value.Complex}, {@link org.torchnnapi.torchscript.value.TorchDevice},
 * {@link org.torchnnapi.tensor.Tensor}, {@link org.torchnnapi.torchscript.value.ScriptTuple} and the {@code Pickled}
 * types here, in which classes and container types are still names. No pickle runs code: the globals it may name are
 * listed in one table, everything else is refused by name.
 */
package org.torchnnapi.torchscript.pickle;
