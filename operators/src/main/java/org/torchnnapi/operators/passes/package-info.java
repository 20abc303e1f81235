/**
 * Passes that need the meaning of operators: folding of constants and convolutions, functional forms, decomposition.
 * With those of {@code org.torchnnapi.torchscript.passes} they are what a graph goes through before it is lowered;
 * {@link org.torchnnapi.operators.passes.Passes} says in which order.
 */
package org.torchnnapi.operators.passes;
