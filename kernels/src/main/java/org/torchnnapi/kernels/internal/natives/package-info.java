/**
 * The provider whose kernels are C: a class here lays out what its kernel reads, cuts the work into units and calls the
 * source file of like name in {@code src/main/c}. {@link org.torchnnapi.kernels.internal.natives.NativeLibrary} loads
 * the library and picks the instruction set; {@link org.torchnnapi.kernels.internal.natives.NativeCall} is the one way
 * to call into it. Memory that C keeps pointers to is a {@link org.torchnnapi.kernels.internal.natives.NativeMemory};
 * arrays of the heap are lent for the length of a call.
 */
package org.torchnnapi.kernels.internal.natives;
