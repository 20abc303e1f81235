package org.torchnnapi.torchscript.archive;

/**
 * Bounds that keep a hostile archive from using up memory.
 *
 * @param maxEntries       number of entries
 * @param inflateAllowance bytes that compressed entries may unpack to in any case
 * @param inflateRatio     bytes they may unpack to beyond that, for each byte of the archive
 */
public record ArchiveLimits(int maxEntries, long inflateAllowance, int inflateRatio) {
    /** A million entries; 256 MiB and a hundred times the size of the archive unpacked. */
    public static final ArchiveLimits DEFAULT = new ArchiveLimits(1 << 20, 256L << 20, 100);
}
