/**
 * NNAPI models while they are made: operands with their PyTorch shapes and layouts, operations, weights, and the
 * finished model with where its inputs and results come from. Both ways of converting make these, and {@code emit}
 * writes them.
 */
package org.torchnnapi.converter.model;
