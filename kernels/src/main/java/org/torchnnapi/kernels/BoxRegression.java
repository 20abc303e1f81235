package org.torchnnapi.kernels;

/**
 * Regressions {@code dx, dy, log(dw), log(dh)} of boxes x1, y1, x2, y2 (Girshick et al., R-CNN, 2014): the centre moves
 * by parts of the box's size, which is multiplied by the exponentials; what results is clipped to its image.
 */
public final class BoxRegression {
    private static final int BOX = BoxSuppression.BOX;
    private static final int BYTES = 256;

    private BoxRegression() {}

    /**
     * Several regressions of each of some boxes.
     *
     * @param boxes {@code [count][4]} from {@code boxOffset} on
     * @param deltas {@code [count][each][4]} from {@code deltaOffset} on
     * @param imageHeight what y is clipped to, from 0 on; likewise {@code imageWidth} x
     * @param out receives {@code [count][each][4]}
     */
    public static void regress(
            float[] boxes,
            int boxOffset,
            int count,
            float[] deltas,
            int deltaOffset,
            int each,
            float imageHeight,
            float imageWidth,
            float[] out,
            int outOffset) {
        check(boxes, boxOffset, count, deltas.length, deltaOffset, each, out, outOffset);
        int numbers = BOX * count * each;
        ElementwiseOps.unary(UnaryOp.EXP, deltas, deltaOffset, out, outOffset, numbers);
        for (int i = 0; i < count; i++) {
            Frame frame = new Frame(boxes, boxOffset + BOX * i, imageHeight, imageWidth);
            for (int at = BOX * each * i; at < BOX * each * (i + 1); at += BOX) {
                int from = deltaOffset + at;
                int to = outOffset + at;
                frame.place(deltas[from], deltas[from + 1], out[to + 2], out[to + 3], out, to);
            }
        }
    }

    /**
     * As {@link #regress(float[], int, int, float[], int, int, float, float, float[], int)}, of bytes.
     *
     * @param reals by unsigned byte the number it stands for
     * @param exponentials by unsigned byte the exponential of that, see {@link #exponentials}
     */
    public static void regress(
            float[] boxes,
            int boxOffset,
            int count,
            byte[] deltas,
            int deltaOffset,
            int each,
            float[] reals,
            float[] exponentials,
            float imageHeight,
            float imageWidth,
            float[] out,
            int outOffset) {
        check(boxes, boxOffset, count, deltas.length, deltaOffset, each, out, outOffset);
        Check.length("reals", reals.length, BYTES);
        Check.length("exponentials", exponentials.length, BYTES);
        for (int i = 0; i < count; i++) {
            Frame frame = new Frame(boxes, boxOffset + BOX * i, imageHeight, imageWidth);
            for (int at = BOX * each * i; at < BOX * each * (i + 1); at += BOX) {
                int from = deltaOffset + at;
                frame.place(
                        reals[deltas[from] & 0xff],
                        reals[deltas[from + 1] & 0xff],
                        exponentials[deltas[from + 2] & 0xff],
                        exponentials[deltas[from + 3] & 0xff],
                        out,
                        outOffset + at);
            }
        }
    }

    private static void check(
            float[] boxes,
            int boxOffset,
            int count,
            int deltas,
            int deltaOffset,
            int each,
            float[] out,
            int outOffset) {
        Check.atLeast("boxes", count, 0);
        Check.atLeast("regressions of a box", each, 0);
        Check.room("boxes", boxes.length, boxOffset, (long) BOX * count);
        Check.room("deltas", deltas, deltaOffset, (long) BOX * count * each);
        Check.room("output", out.length, outOffset, (long) BOX * count * each);
    }

    /** The exponentials of some numbers, rounded as those of doubles are. */
    public static float[] exponentials(float[] reals) {
        float[] exponentials = new float[reals.length];
        for (int i = 0; i < reals.length; i++) {
            exponentials[i] = (float) StrictMath.exp(reals[i]);
        }
        return exponentials;
    }

    /** What all regressions of a box have in common. */
    private record Frame(float width, float height, float centreX, float centreY, float imageHeight, float imageWidth) {
        Frame(float[] boxes, int at, float imageHeight, float imageWidth) {
            this(
                    boxes[at + 2] - boxes[at],
                    boxes[at + 3] - boxes[at + 1],
                    (boxes[at] + boxes[at + 2]) / 2,
                    (boxes[at + 1] + boxes[at + 3]) / 2,
                    imageHeight,
                    imageWidth);
        }

        void place(float dx, float dy, float growX, float growY, float[] out, int at) {
            float x = centreX + dx * width;
            float y = centreY + dy * height;
            float halfWidth = growX * width / 2;
            float halfHeight = growY * height / 2;
            out[at] = clip(x - halfWidth, imageWidth);
            out[at + 1] = clip(y - halfHeight, imageHeight);
            out[at + 2] = clip(x + halfWidth, imageWidth);
            out[at + 3] = clip(y + halfHeight, imageHeight);
        }

        private static float clip(float value, float limit) {
            // Math.min and max take several times as long for the sake of signs of zero, and most boxes lie within
            // their image.
            return value <= 0 ? 0 : value >= limit ? limit : value;
        }
    }
}
