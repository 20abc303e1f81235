package org.torchnnapi.kernels;

/** How a real number becomes an integer: the two rules that quantized kernels follow. */
public enum Rounding {
    /** To nearest, halves away from zero, as the NNAPI reference rounds. */
    HALF_AWAY {
        @Override
        public long round(double value) {
            return (long) (value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5));
        }

        @Override
        public int quotient(long sum, long count) {
            return (int) (sum >= 0 ? (sum + count / 2) / count : (sum - count / 2) / count);
        }
    },
    /** To nearest, halves to even, as PyTorch and qnnpack round. */
    HALF_EVEN {
        @Override
        public long round(double value) {
            return (long) Math.rint(value);
        }

        @Override
        public int quotient(long sum, long count) {
            return (int) Math.rint((double) sum / count);
        }
    };

    /** The nearest integer. */
    public abstract long round(double value);

    /** The rounded mean of {@code count > 0} integers with that sum. */
    public abstract int quotient(long sum, long count);
}
