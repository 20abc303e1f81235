/**
 * Classes and functions written as TorchScript source, the inverse of the {@code source} package:
 * {@link org.torchnnapi.torchscript.print.CodePrinter} takes what is to be written and gives
 * {@link org.torchnnapi.torchscript.print.PrintedCode}, the texts, constants and source ranges of an archive. The form
 * is that of PyTorch's own exporter, so that genuine PyTorch loads it and a second writing gives the same text.
 */
package org.torchnnapi.torchscript.print;
