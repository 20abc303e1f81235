package org.torchnnapi.torchscript.value;

/** A complex scalar. */
public record Complex(double real, double imaginary) {}
