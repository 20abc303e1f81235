package org.torchnnapi.image;

/**
 * How pixels between pixels are found, with Pillow's numbers and names. All but {@link #NEAREST} widen their windows
 * where a picture gets smaller (antialiasing).
 */
public enum Interpolation {
    NEAREST(0, 0) {
        @Override
        double weight(double x) {
            throw new UnsupportedOperationException("nearest has no weights");
        }
    },
    LANCZOS(1, 3) {
        @Override
        double weight(double x) {
            return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
        }
    },
    BILINEAR(2, 1) {
        @Override
        double weight(double x) {
            return Math.max(0, 1 - Math.abs(x));
        }
    },
    BICUBIC(3, 2) {
        @Override
        double weight(double x) {
            double a = -0.5;
            double d = Math.abs(x);
            if (d < 1) {
                return ((a + 2) * d - (a + 3)) * d * d + 1;
            }
            return d < 2 ? (((d - 5) * d + 8) * d - 4) * a : 0;
        }
    },
    BOX(4, 0.5) {
        @Override
        double weight(double x) {
            return x > -0.5 && x <= 0.5 ? 1 : 0;
        }
    },
    HAMMING(5, 1) {
        @Override
        double weight(double x) {
            double d = Math.abs(x);
            return d >= 1 ? 0 : sinc(d) * (0.54 + 0.46 * StrictMath.cos(d * Math.PI));
        }
    };

    private final int number;
    private final double support;

    Interpolation(int number, double support) {
        this.number = number;
        this.support = support;
    }

    /** @throws IllegalArgumentException if Pillow has no filter of this number */
    static Interpolation of(int number) {
        for (Interpolation one : values()) {
            if (one.number == number) {
                return one;
            }
        }
        throw new IllegalArgumentException("interpolation: " + number + " (expected: 0 to 5)");
    }

    /** Pillow's. */
    int number() {
        return number;
    }

    /** How far from a pixel's middle others count, in pixels. */
    double support() {
        return support;
    }

    /** Of a pixel in that distance. */
    abstract double weight(double x);

    private static double sinc(double x) {
        return x == 0 ? 1 : StrictMath.sin(x * Math.PI) / (x * Math.PI);
    }
}
