/** Between which bounds numbers of a graph lie, whatever its arguments, as NNAPI's whole numbers have 32 bits. */
package org.torchnnapi.converter.range;
