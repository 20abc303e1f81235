package org.torchnnapi.program;

import java.util.Arrays;
import java.util.List;

/** How the values of one operation lie. */
public record LayoutAssignment(ImageStorage[] inputs, ImageStorage output) {
    /** All as their shapes say. */
    public static LayoutAssignment declared(int inputs) {
        return all(inputs, ImageStorage.DECLARED);
    }

    /** Inputs and result in one storage. */
    public static LayoutAssignment all(int inputs, ImageStorage storage) {
        ImageStorage[] all = new ImageStorage[inputs];
        Arrays.fill(all, storage);
        return new LayoutAssignment(all, storage);
    }

    /**
     * One storage for inputs of one shape: a blocked one where there is any, else what the first has that is not as
     * declared.
     *
     * @param exact whether the elements that fill up blocks must not be computed with
     */
    public static LayoutAssignment alike(List<ValueType> inputs, ImageStorage[] actual, boolean exact) {
        return all(inputs.size(), common(inputs, actual, exact));
    }

    /** The storage that {@link #alike} takes. */
    public static ImageStorage common(List<ValueType> inputs, ImageStorage[] actual, boolean exact) {
        ImageStorage common = ImageStorage.DECLARED;
        for (int i = 0; i < actual.length; i++) {
            boolean better = common == ImageStorage.DECLARED || actual[i].isBlocked() && !common.isBlocked();
            if (better && !(exact && actual[i].isPadded(inputs.get(i)))) {
                common = actual[i];
            }
        }
        return common;
    }
}
