package org.torchnnapi.torchscript.format;

/**
 * How much memory may be made of one file, whoever reads it: a constant, and so much for each byte of the file as it
 * lies on disk. What readers make of it is charged before it is made, so that a small file stays small however often
 * its parts are packed, shared or repeated. Safe for use by several threads.
 */
public final class ReadBudget {
    /** What a value of a pickle or flat buffer takes, with its place in what holds it. */
    public static final int VALUE_BYTES = 32;
    /** What a value takes that is shared, at each further place that code may meet it. */
    public static final int SHARED_BYTES = 16;
    /** What a token of source takes, with the node of the tree and of the graph that is made of it. */
    public static final int TOKEN_BYTES = 96;

    private static final long ALLOWANCE = 32L << 20;
    private static final long RATIO = 100;

    private final long fileBytes;
    private final long limit;
    private long left;

    private ReadBudget(long fileBytes) {
        this.fileBytes = fileBytes;
        limit = ALLOWANCE + RATIO * fileBytes;
        left = limit;
    }

    /** Of a file of so many bytes. */
    public static ReadBudget of(long fileBytes) {
        return new ReadBudget(fileBytes);
    }

    /**
     * Counts what is about to be made.
     *
     * @param entry where, for the message, for example {@code data.pkl}
     * @param what is made, for the message, for example {@code values}
     * @param count not negative
     * @param bytesEach what one of them takes
     * @throws ArchiveException if it is more than the file explains; nothing is counted then
     */
    public synchronized void charge(String entry, String what, long count, int bytesEach) {
        if (count > left / bytesEach) {
            throw new ArchiveException(
                    entry + ": " + what + ": " + count + " of " + bytesEach + " bytes, " + left + " bytes left "
                            + "(expected: a file of " + fileBytes + " bytes unpacks to at most " + limit + " bytes, "
                            + (ALLOWANCE >> 20) + " MiB and " + RATIO + " for each byte)");
        }
        left -= count * bytesEach;
    }
}
