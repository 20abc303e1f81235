/**
 * Methods, and regions of methods, specialised to their inputs. The first call with arguments of some types is recorded
 * on tensors that have a geometry but no elements: sizes, numbers, conditions and loops take their values as usual,
 * operators on tensors either become operations of a program ({@code lower/}) or are noted as calls. What was recorded
 * is compiled and serves every later call with arguments of those types.
 *
 * <p>Where a recording cannot stand for a method, it is interpreted, and
 * {@link org.torchnnapi.execution.tracing.RegionCompiler} does the same for runs of nodes between what cannot be
 * recorded. A region's breaks are found by recording it: the node that fails, or that an analysis of shared memory
 * blames, divides it. So no list says what can be compiled, an operator costs no more than itself its speed, and
 * whatever a region cannot express is left to the interpreter, which is right by definition. Guards are a region's own:
 * its inputs ({@link org.torchnnapi.execution.tracing.RegionKey}) and the attributes that it read.
 *
 * <p>A region's results are as its steps would leave them, down to which of them share memory, as interpreted nodes
 * behind it may write to it. A region itself writes to nothing that it did not make, so that a run which fails may be
 * done again by the interpreter.
 */
package org.torchnnapi.execution.tracing;
