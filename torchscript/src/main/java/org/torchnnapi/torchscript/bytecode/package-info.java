/**
 * Byte code of the lite interpreter ({@code bytecode.pkl}, versions 4 to 9): instructions for a stack machine, turned
 * back into graphs, so that everything that works on graphs works on them.
 */
package org.torchnnapi.torchscript.bytecode;
