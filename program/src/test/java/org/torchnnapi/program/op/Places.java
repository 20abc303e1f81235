package org.torchnnapi.program.op;

/** Where elements are in arrays that lie as declared, the last axis innermost. */
final class Places {
    private Places() {}

    /** The place along each axis of element {@code index}. */
    static int[] of(int index, int[] shape) {
        int[] places = new int[shape.length];
        int rest = index;
        for (int axis = shape.length - 1; axis >= 0; axis--) {
            places[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        return places;
    }

    /**
     * The element at those places; along axes of one, which repeat, at the first, and without those in front that a
     * shape lacks.
     */
    static int index(int[] places, int[] shape) {
        int index = 0;
        for (int axis = 0; axis < shape.length; axis++) {
            int place = places[places.length - shape.length + axis];
            index = index * shape[axis] + (shape[axis] == 1 ? 0 : place);
        }
        return index;
    }
}
