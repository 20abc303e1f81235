package org.torchnnapi.kernels;

/** Element-wise functions of one float, computed in double where Java's library does. */
public enum UnaryOp {
    ABS {
        @Override
        public float apply(float x) {
            return Math.abs(x);
        }
    },
    NEG {
        @Override
        public float apply(float x) {
            return -x;
        }
    },
    EXP {
        @Override
        public float apply(float x) {
            return (float) Math.exp(x);
        }
    },
    LOG {
        @Override
        public float apply(float x) {
            return (float) Math.log(x);
        }
    },
    SQRT {
        @Override
        public float apply(float x) {
            return (float) Math.sqrt(x);
        }
    },
    /** {@code 1 / sqrt(x)}. */
    RSQRT {
        @Override
        public float apply(float x) {
            return (float) (1 / Math.sqrt(x));
        }
    },
    /** {@code 1 / (1 + exp(-x))}. */
    SIGMOID {
        @Override
        public float apply(float x) {
            return (float) (1 / (1 + Math.exp(-x)));
        }
    },
    TANH {
        @Override
        public float apply(float x) {
            return (float) Math.tanh(x);
        }
    },
    /** {@code x / (1 + exp(-x))}. */
    SILU {
        @Override
        public float apply(float x) {
            return (float) (x / (1 + Math.exp(-x)));
        }
    },
    /** {@code x * relu6(x + 3) / 6}. */
    HARD_SWISH {
        @Override
        public float apply(float x) {
            return Activation.hardSwish(x);
        }
    },
    /** {@code relu6(x + 3) / 6}. */
    HARD_SIGMOID {
        @Override
        public float apply(float x) {
            return Activation.hardSigmoid(x);
        }
    },
    /** {@code x * P(X < x)} of a normally distributed X (Hendrycks and Gimpel, 2016). */
    GELU,
    /** The approximation of {@link #GELU}: {@code x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3)))}. */
    GELU_TANH,
    /** {@code log(1 + exp(x))}. */
    SOFTPLUS,
    /** {@code -log(1 + exp(-x))}. */
    LOG_SIGMOID,
    /** {@code x * tanh(log(1 + exp(x)))} (Misra, 2019). */
    MISH;

    /** The function of x, the twin of the fast kernels. */
    public float apply(float x) {
        return (float) SmoothFunctions.apply(this, x);
    }
}
