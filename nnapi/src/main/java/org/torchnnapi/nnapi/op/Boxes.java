package org.torchnnapi.nnapi.op;

/** Axis-aligned boxes as four numbers x1, y1, x2, y2 in an array. */
final class Boxes {
    /** Numbers a box. */
    static final int SIZE = 4;

    private Boxes() {}

    /**
     * Area of the intersection over area of the union of the boxes at {@code a} and {@code b}; NaN if both are empty.
     */
    static float intersectionOverUnion(float[] boxes, int a, int b) {
        float width = Math.max(Math.min(boxes[a + 2], boxes[b + 2]) - Math.max(boxes[a], boxes[b]), 0);
        float height = Math.max(Math.min(boxes[a + 3], boxes[b + 3]) - Math.max(boxes[a + 1], boxes[b + 1]), 0);
        float intersection = width * height;
        return intersection / (area(boxes, a) + area(boxes, b) - intersection);
    }

    private static float area(float[] boxes, int at) {
        return (boxes[at + 2] - boxes[at]) * (boxes[at + 3] - boxes[at + 1]);
    }

    /**
     * Moves and scales a box by a regression {@code dx, dy, log(dw), log(dh)} relative to its size, and clips it to the
     * image.
     *
     * @param result four numbers from {@code atResult} on
     */
    static void regress(
            float[] boxes,
            int at,
            float[] deltas,
            int atDelta,
            float imageHeight,
            float imageWidth,
            float[] result,
            int atResult) {
        float width = boxes[at + 2] - boxes[at];
        float height = boxes[at + 3] - boxes[at + 1];
        float centreX = (boxes[at] + boxes[at + 2]) / 2 + deltas[atDelta] * width;
        float centreY = (boxes[at + 1] + boxes[at + 3]) / 2 + deltas[atDelta + 1] * height;
        float halfWidth = (float) StrictMath.exp(deltas[atDelta + 2]) * width / 2;
        float halfHeight = (float) StrictMath.exp(deltas[atDelta + 3]) * height / 2;
        result[atResult] = clip(centreX - halfWidth, imageWidth);
        result[atResult + 1] = clip(centreY - halfHeight, imageHeight);
        result[atResult + 2] = clip(centreX + halfWidth, imageWidth);
        result[atResult + 3] = clip(centreY + halfHeight, imageHeight);
    }

    private static float clip(float value, float limit) {
        return Math.min(Math.max(value, 0), limit);
    }

    /** Demands that the box at {@code at} does not end before it starts. */
    static void requireOrdered(OperationContext operation, float[] boxes, int at) {
        if (!(boxes[at] <= boxes[at + 2] && boxes[at + 1] <= boxes[at + 3])) {
            throw operation.illegal(
                    "box",
                    "(" + boxes[at] + ", " + boxes[at + 1] + ", " + boxes[at + 2] + ", " + boxes[at + 3] + ")",
                    "x1 <= x2 and y1 <= y2");
        }
    }
}
