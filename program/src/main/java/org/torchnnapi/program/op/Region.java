package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.ValueType;

/**
 * One of the regions that are cut out of images: a box in pixels of the image that it belongs to. Mutable, so that reading the next one
 * allocates nothing.
 */
final class Region {
    private static final int CORNERS = 4;

    private int image;
    private float x1;
    private float y1;
    private float x2;
    private float y2;

    /** What the images, the corners x1, y1, x2, y2 of the regions and the places of their images must be; returns the number of regions. */
    static int require(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        Require.rank("images", Require.notInts("images", inputs.get(0)), 4);
        ValueType corners = Require.floats("regions", inputs.get(1));
        Require.rank("regions", corners, 2);
        Require.sameShape("regions", corners, new int[] {corners.dimension(0), CORNERS});
        Require.sameShape("images of regions", Require.element("images of regions", inputs.get(2), Element.INT32), new int[] {corners.dimension(0)});
        return corners.dimension(0);
    }

    /**
     * Reads a region.
     *
     * @param corners in pixels of what the images were made from
     * @param rowStride of those pixels the height of one of the images'; likewise {@code columnStride}
     * @param images declared as {@code [batch, height, width, channels]}
     * @throws IllegalArgumentException if it is not ordered, or not within an image
     */
    void read(float[] corners, int at, int itsImage, float rowStride, float columnStride, Operand images) {
        image = itsImage;
        x1 = corners[at] / columnStride;
        y1 = corners[at + 1] / rowStride;
        x2 = corners[at + 2] / columnStride;
        y2 = corners[at + 3] / rowStride;
        int batch = images.type().dimension(0);
        int height = images.type().dimension(1);
        int width = images.type().dimension(2);
        if (image < 0 || image >= batch) {
            throw new IllegalArgumentException("image of a region: " + image + " (expected: 0 to " + (batch - 1) + ")");
        }
        if (!(x1 >= 0 && y1 >= 0 && x1 <= x2 && y1 <= y2 && x2 <= width && y2 <= height)) {
            throw new IllegalArgumentException("region: (" + x1 + ", " + y1 + ", " + x2 + ", " + y2 + ") (expected: ordered and within an image of "
                    + height + " by " + width + ")");
        }
    }

    int image() {
        return image;
    }

    float x1() {
        return x1;
    }

    float y1() {
        return y1;
    }

    float x2() {
        return x2;
    }

    float y2() {
        return y2;
    }
}
