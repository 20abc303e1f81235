package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.ValueType;

/**
 * One of the regions that are cut out of images: a box in pixels of the image that it belongs to. Mutable, so that
 * reading the next one allocates nothing.
 */
final class RegionGrid {
    private static final int CORNERS = 4;

    private int image;
    private float x1;
    private float y1;
    private float x2;
    private float y2;

    /**
     * What the images, the corners x1, y1, x2, y2 of the regions and the places of their images must be; returns the
     * number of regions.
     */
    static int require(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        Require.rank("images", Require.notInts("images", inputs.get(0)), 4);
        ValueType corners = Require.floats("regions", inputs.get(1));
        Require.rank("regions", corners, 2);
        Require.sameShape("regions", corners, new int[] {corners.dimension(0), CORNERS});
        Require.sameShape(
                "images of regions",
                Require.element("images of regions", inputs.get(2), Element.INT32),
                new int[] {corners.dimension(0)});
        return corners.dimension(0);
    }

    /** The inputs that {@link #require} describes and where the result goes, over the memory of a run. */
    abstract static class Source {
        final int rows;
        final int columns;
        final int channels;
        /** The first element of the images, and of the result. */
        final int fromAt;

        final int toAt;
        private final int batch;
        private final float[] corners;
        private final int cornersAt;
        private final int[] places;
        private final int placesAt;
        private final float rowStride;
        private final float columnStride;

        /** @param rowStride of the corners' pixels the height of one of the images'; likewise {@code columnStride} */
        Source(Operands operands, RunMemory memory, float rowStride, float columnStride) {
            ValueType images = operands.in(0).type();
            batch = images.dimension(0);
            rows = images.dimension(1);
            columns = images.dimension(2);
            channels = images.dimension(3);
            fromAt = operands.in(0).at(memory);
            toAt = operands.out().at(memory);
            corners = operands.in(1).floats(memory);
            cornersAt = operands.in(1).at(memory);
            places = operands.in(2).ints(memory);
            placesAt = operands.in(2).at(memory);
            this.rowStride = rowStride;
            this.columnStride = columnStride;
        }
    }

    /**
     * Reads a region.
     *
     * @throws IllegalArgumentException if it is not ordered, or not within an image
     */
    void read(Source source, int number) {
        int at = source.cornersAt + number * CORNERS;
        image = source.places[source.placesAt + number];
        x1 = source.corners[at] / source.columnStride;
        y1 = source.corners[at + 1] / source.rowStride;
        x2 = source.corners[at + 2] / source.columnStride;
        y2 = source.corners[at + 3] / source.rowStride;
        int batch = source.batch;
        int height = source.rows;
        int width = source.columns;
        if (image < 0 || image >= batch) {
            throw new IllegalArgumentException("image of a region: " + image + " (expected: 0 to " + (batch - 1) + ")");
        }
        if (!(x1 >= 0 && y1 >= 0 && x1 <= x2 && y1 <= y2 && x2 <= width && y2 <= height)) {
            throw new IllegalArgumentException("region: (" + x1 + ", " + y1 + ", " + x2 + ", " + y2
                    + ") (expected: ordered and within an image of " + height + " by " + width + ")");
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
