/**
 * TorchScript archives: zip files with tensors, pickles and source text. The reader trusts nothing in a file and
 * reports whatever is wrong with it as one {@link org.torchnnapi.torchscript.format.ArchiveException}; the writer lays
 * files out as PyTorch does. Modules of the lite interpreter that come as flat buffers are rewritten as such archives.
 */
package org.torchnnapi.torchscript.archive;
