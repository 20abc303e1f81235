/**
 * Nodes as NNAPI operations: a family of lowerings for each sort of operators, in whatever order of dimensions the
 * operations want. A lowering plans before it makes operations, and gives a
 * {@link org.torchnnapi.converter.report.Reason} where NNAPI cannot express a node.
 */
package org.torchnnapi.converter.lower;
