/** The operations of graphs, one file each: what they accept, how their values may lie, and the kernels that do them. */
package org.torchnnapi.program.op;
