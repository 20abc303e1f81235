/**
 * What is done to graphs without knowing what operators mean: calls inlined, attributes made constants, known branches
 * taken, dead code removed. Each pass changes a graph in place and leaves what it computes as it was. What it has to
 * know of an operator, such as whether it writes or acts, its schema and traits say.
 */
package org.torchnnapi.torchscript.passes;
