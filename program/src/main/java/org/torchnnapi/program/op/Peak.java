package org.torchnnapi.program.op;

/**
 * The peak of the quadratic through the nine pixels around a maximum (Taylor expansion to the second order). Mutable,
 * so that finding the next one allocates nothing.
 */
final class Peak {
    /** Pixels around a maximum, itself among them. */
    static final int AROUND = 9;

    private static final int CENTRE = 4;
    /** A peak that is farther along an axis is moved back, in pixels. */
    private static final double MOST = 1.5;

    private double x;
    private double y;
    private double score;

    /** A row, or column, of an image of so many, one past its edge standing for the one within. */
    static int mirrored(int index, int size) {
        return index < 0 ? 1 : index >= size ? size - 2 : index;
    }

    /**
     * Refines a maximum.
     *
     * @param z the pixels around it, row by row
     * @param tolerance below which, relative to its larger product, the determinant is rounding noise: the maximum
     *     stays where it is
     */
    void refine(int column, int row, float[] z, double tolerance) {
        double middle = z[CENTRE];
        double slopeX = ((double) z[5] - z[3]) / 2;
        double slopeY = ((double) z[7] - z[1]) / 2;
        double bendX = z[3] - 2 * middle + z[5];
        double bendY = z[1] - 2 * middle + z[7];
        double twist = ((double) z[8] - z[6] - z[2] + z[0]) / 4;
        double determinant = bendX * bendY - twist * twist;
        x = column;
        y = row;
        score = middle;
        if (Math.abs(determinant) < tolerance + tolerance * bendX * bendY) {
            return;
        }
        double shiftX = (twist * slopeY - bendY * slopeX) / determinant;
        double shiftY = (twist * slopeX - bendX * slopeY) / determinant;
        double factor = Math.min(1, MOST / Math.max(Math.abs(shiftX), Math.abs(shiftY)));
        shiftX *= factor;
        shiftY *= factor;
        x += shiftX;
        y += shiftY;
        score += slopeX * shiftX
                + slopeY * shiftY
                + (bendX * shiftX * shiftX + 2 * twist * shiftX * shiftY + bendY * shiftY * shiftY) / 2;
    }

    double x() {
        return x;
    }

    double y() {
        return y;
    }

    double score() {
        return score;
    }
}
