package org.torchnnapi.exported.lowering;

import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * A number that elements decide: how large a result is, such as {@code nonzero}'s, or an element that is read.
 *
 * @param call what gives it
 * @param tensor whose size it is; null where it is what the call gives
 * @param dimension of the size
 * @param value in this run
 * @param most it is no greater with these sizes of the arguments
 */
record UnbackedNumber(RecordedCall call, GraphTensor tensor, int dimension, long value, long most, SourceRange place) {}
