package org.torchnnapi.tensor;

/** Someone asked for the elements of a {@link Storage#withoutData storage without data}. */
public final class NoDataException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    NoDataException(Storage storage) {
        super("storage of " + storage.length() + " elements of "
                + storage.dtype().torchName() + " without data (expected: one with data; "
                + "only the geometry of its tensors is known)");
    }
}
