package org.torchnnapi.nnapi.op;

import java.util.Arrays;

/** A region of a feature map, in its pixels, and the map's batch it is in. */
record RegionOfInterest(int batch, float x1, float y1, float x2, float y2) {
    /** Checks shapes and the two stride scalars from {@code strides} on. */
    static void prepare(OperationContext operation, ImageOrder layout, int map, int regions, int batches, int strides) {
        operation.requireDims(regions, operation.dim(regions, 0), Boxes.SIZE);
        operation.requireDims(batches, operation.dim(regions, 0));
        operation.require(
                layout.height(operation.dims(map)) > 0 && layout.width(operation.dims(map)) > 0,
                "feature map",
                Arrays.toString(operation.dims(map)),
                "not empty");
        operation.require(operation.floatValue(strides) > 0, "height stride", operation.floatValue(strides), "> 0");
        operation.require(
                operation.floatValue(strides + 1) > 0, "width stride", operation.floatValue(strides + 1), "> 0");
    }

    /** Region number {@code index}, scaled from image to map by the strides and checked to lie in the map. */
    static RegionOfInterest of(
            ExecutionContext operation, ImageOrder layout, int map, int regions, int batches, int strides, int index) {
        int[] dims = operation.dims(map);
        FloatView view = operation.floats(regions);
        float rowStep = operation.floatValue(strides);
        float columnStep = operation.floatValue(strides + 1);
        int at = index * Boxes.SIZE;
        RegionOfInterest region = new RegionOfInterest(
                operation.ints(batches).get(index),
                view.get(at) / columnStep,
                view.get(at + 1) / rowStep,
                view.get(at + 2) / columnStep,
                view.get(at + 3) / rowStep);
        operation.require(
                region.batch >= 0 && region.batch < dims[0], "batch index", region.batch, "0 to " + (dims[0] - 1));
        boolean inside = region.x1 >= 0
                && region.y1 >= 0
                && region.x1 <= region.x2
                && region.y1 <= region.y2
                && region.x2 <= layout.width(dims)
                && region.y2 <= layout.height(dims);
        if (!inside) {
            throw operation.illegal(
                    "region " + index,
                    "(" + region.x1 + ", " + region.y1 + ", " + region.x2 + ", " + region.y2 + ")",
                    "ordered and inside the feature map of " + layout.height(dims) + " by " + layout.width(dims));
        }
        return region;
    }
}
