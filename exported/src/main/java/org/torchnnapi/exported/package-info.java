/**
 * Programs of torch.export. {@code ExportedArchive} finds what lies in a file, {@code Json} reads its texts,
 * {@code ProgramImporter} makes a method of each program: {@code Structure} for arguments and results,
 * {@code SizeGuards} for what PyTorch checks of them, {@code GraphImporter} and {@code HigherOrderOperators} for nodes.
 */
package org.torchnnapi.exported;
