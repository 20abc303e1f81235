package org.torchnnapi.converter;

/** What NNAPI shall optimise a compilation for; the constant's position is NNAPI's number. */
public enum CompilationPreference {
    LOW_POWER,
    FAST_SINGLE_ANSWER,
    SUSTAINED_SPEED
}
