/** Loaded modules: what joins archives, source, values and the interpreter. */
package org.torchnnapi.execution;
