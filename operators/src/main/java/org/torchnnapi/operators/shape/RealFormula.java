package org.torchnnapi.operators.shape;

/**
 * A real number that follows from sizes.
 *
 * @param factor a number
 * @param of what it is multiplied by, or divided by
 * @param divides which of both
 */
public record RealFormula(double factor, Formula of, boolean divides) {
    /** The value for sizes. */
    public double of(long... sizes) {
        return divides ? factor / of.of(sizes) : factor * of.of(sizes);
    }
}
