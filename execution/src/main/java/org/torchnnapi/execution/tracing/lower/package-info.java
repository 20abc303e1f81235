/**
 * How operators on tensors become operations of programs, one file an operator family. A family registers one
 * {@link Lowering} for each operator name; in-place operators use that of the functional one.
 */
package org.torchnnapi.execution.tracing.lower;
