package org.torchnnapi.api;

/**
 * A class with what a model gave it.
 *
 * @param number of its column
 * @param label its name; "" where there is none
 * @param score as the model gave it, of a quantized tensor the number that it stands for
 */
public record ScoredClass(int number, String label, double score) {}
