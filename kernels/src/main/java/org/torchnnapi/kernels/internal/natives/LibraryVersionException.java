package org.torchnnapi.kernels.internal.natives;

/** The native library is not of these classes' release: a stale one, or something else of the same name. */
final class LibraryVersionException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    private LibraryVersionException(String message) {
        super(message);
    }

    /**
     * @param found what the library says of its sources, or that it says nothing
     * @param expected what the classes were built with
     * @param library its name or file
     * @throws LibraryVersionException if they differ
     */
    static void requireSame(String found, String expected, String library) {
        if (!found.equals(expected)) {
            throw new LibraryVersionException("library " + library + ": version " + found + " (expected: " + expected
                    + ", that of the classes); use the library of the same release, or build the kernels module anew");
        }
    }
}
