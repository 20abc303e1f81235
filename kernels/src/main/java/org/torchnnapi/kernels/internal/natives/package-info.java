/**
 * The provider whose kernels are C: a class here lays out what its kernel reads, cuts the work into units and calls the
 * source file of like name in {@code src/main/c}. {@link org.torchnnapi.kernels.internal.natives.NativeLibrary} loads
 * the library and picks the instruction set; classes whose names end in {@code Calls} and {@code Struct}, written from
 * {@code kernels.table}, call into it and lay out what it reads. Memory that C keeps pointers to is a
 * {@link org.torchnnapi.kernels.internal.natives.NativeMemory}; arrays of the heap are lent for the length of a call.
 */
package org.torchnnapi.kernels.internal.natives;
