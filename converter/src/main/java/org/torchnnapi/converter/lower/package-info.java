/**
 * Nodes as NNAPI operations: a family of lowerings for each sort of operators, in whatever order of dimensions the
 * operations want. What NNAPI cannot express is a {@link org.torchnnapi.converter.report.Refused}.
 */
package org.torchnnapi.converter.lower;
