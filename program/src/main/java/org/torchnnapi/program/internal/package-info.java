/**
 * From a graph to a program. A {@link org.torchnnapi.program.internal.MutableGraph} is changed by
 * {@link org.torchnnapi.program.internal.ProgramPasses}: values that are known are computed, operations that follow
 * each other become one, and where neighbours want a value in different storages a {@code Relayout} comes between them.
 * {@link org.torchnnapi.program.internal.BufferAssignment} then gives every value its place in one arena.
 */
package org.torchnnapi.program.internal;
