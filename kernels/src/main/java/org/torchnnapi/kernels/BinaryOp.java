package org.torchnnapi.kernels;

/** Element-wise functions of two floats. */
public enum BinaryOp {
    ADD,
    SUB,
    MUL,
    DIV,
    MAX,
    MIN,
    /** {@code a} where it is not below 0, else {@code a * b} (He et al., Delving Deep into Rectifiers, 2015). */
    PRELU;

    /** The function of a and b, the twin of the fast kernels; MAX and MIN of a NaN are NaN. */
    public float apply(float a, float b) {
        return switch (this) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case PRELU -> a < 0 ? a * b : a;
        };
    }
}
