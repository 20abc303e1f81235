package org.torchnnapi.kernels;

/**
 * The functions of {@link UnaryOp} that take more than a line, in a class of their own so that others do without it.
 */
final class SmoothFunctions {
    /**
     * The tail of the normal distribution above x >= 0, over {@code exp(-x * x / 2) / (x + CENTER)}, is a polynomial in
     * {@code (x - CENTER) / (x + CENTER)}: its largest relative error (Remez) is 8e-9 up to 15.
     */
    private static final double[] TAIL = {
        0.7444160580635071,
        -0.5655617117881775,
        0.3154250979423523,
        -0.11605317145586014,
        0.01740582101047039,
        0.006493726745247841,
        -0.003172827884554863,
        -0.0004950392758473754,
        0.0004183225391898304,
        0.00010869304242078215
    };

    private static final double CENTER = 3.5;
    private static final double FARTHEST = 15;

    private SmoothFunctions() {}

    static double apply(UnaryOp op, double x) {
        return switch (op) {
            case GELU -> x < 0 ? x * tail(-x) : x * (1 - tail(x));
            case GELU_TANH -> x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
            case SOFTPLUS -> softplus(x);
            case LOG_SIGMOID -> -softplus(-x);
            case MISH -> x * Math.tanh(softplus(x));
            default -> op.apply((float) x);
        };
    }

    private static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    /** The probability that a normally distributed number is above x, >= 0. */
    private static double tail(double x) {
        if (x > FARTHEST) {
            return 0;
        }
        double u = (x - CENTER) / (x + CENTER);
        double sum = 0;
        for (int i = TAIL.length - 1; i >= 0; i--) {
            sum = sum * u + TAIL[i];
        }
        return Math.exp(-0.5 * x * x) * sum / (x + CENTER);
    }
}
