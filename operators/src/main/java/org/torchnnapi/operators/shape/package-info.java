/**
 * Shapes without computing: those of samples' results, and numbers that follow from the sizes of a model's inputs, as
 * formulas that are found from their values.
 */
package org.torchnnapi.operators.shape;
